/** The text that `licet plan` prints. */
import type { PlannedBudget, PlannedPages, PlanReport } from "../agent/plan-report.ts";
import { type Micros, toMicros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import { formatAmount, formatDuration, plural } from "./format-values.ts";
import { denialTable, type PageColumn, pageCountsTable } from "./page-counts-table.ts";
import { plainText } from "./plain-text.ts";
import { section } from "./report-sections.ts";
import { textTable } from "./text-table.ts";

const WOULD_BUY: readonly PageColumn<PlannedPages>[] = [{ title: "would buy", count: ({ approved }) => approved }];

export function formatPlan(report: PlanReport): string {
  const { sites, pages, denials, cost, budgets, durationMs } = report;
  const costRows = Object.entries(cost).map(([currency, { micros, pages: count }]) => [
    formatAmount(micros, currency),
    `for ${plural(count, "page")}`,
  ]);
  return [
    pageCountsTable(sites, pages, WOULD_BUY),
    ...sites.flatMap(({ host, warning }) => (warning === null ? [] : `  ${plainText(`${host}: ${warning}`)}\n`)),
    ...formatPages(report),
    `\nCost of ${plural(pages.approved, "page")}:\n`,
    costRows.length === 0 ? "  nothing\n" : textTable(null, costRows, ["right"]),
    ...formatShortfalls(report),
    ...section("Denied", denialTable(denials)),
    ...section("Budgets", formatBudgets(budgets)),
    `\nNothing was reserved or spent. It took ${formatDuration(durationMs)}.\n`,
  ].join("");
}

function formatPages({ approvedPages, pages }: PlanReport): string[] {
  const isDearer = approvedPages.some(({ priceMicros, setAsideMicros }) => setAsideMicros > (priceMicros ?? 0));
  const rows = approvedPages.map((page) => [
    formatAmount(page.priceMicros, page.currency),
    ...(isDearer ? [formatAmount(page.setAsideMicros, page.currency)] : []),
    page.license?.licenseType ?? "indexing",
    `${page.policyName}, rule ${page.ruleIndex + 1}`,
    page.url,
  ]);
  const more = pages.approved - rows.length;
  const head = ["price", ...(isDearer ? ["with fees"] : []), "licence", "rule", "page"];
  const table = rows.length === 0 ? "" : textTable(head, rows, isDearer ? ["right", "right"] : ["right"]);
  return section("Would buy", more > 0 && rows.length > 0 ? `${table}  and ${plural(more, "more page")}\n` : table);
}

/** What everything would cost, in each currency in which a limit leaves pages out. */
function formatShortfalls({ cost, costWithoutLimits, budgets, denials }: PlanReport): string[] {
  return Object.entries(costWithoutLimits).flatMap(([currency, all]) => {
    const bought = cost[currency]?.pages ?? 0;
    if (bought === all.pages) {
      return [];
    }
    const everything = `${formatAmount(all.micros, currency)} for ${plural(all.pages, "page")}`;
    return `  ${plainText(`Without limits: ${everything}; ${describeLimits(currency, budgets, denials)}, that buys ${bought}.`)}\n`;
  });
}

function describeLimits(currency: Currency, budgets: PlanReport["budgets"], denials: PlanReport["denials"]): string {
  const exhausted = budgets.filter((one) => one.exhausted && one.budget.currency === currency);
  const [only, ...others] = exhausted.map((one) => [one.label, formatAmount(leftBefore(one), currency)] as const);
  if (only !== undefined) {
    return others.length === 0
      ? `the budget ${only[0]} leaves ${only[1]}`
      : `the budgets leave ${[only, ...others].map(([label, left]) => `${left} (${label})`).join(", ")}`;
  }
  const limits = [["max_spend", "maxSpend"] as const, ["max_pages", "maxPages"] as const]
    .filter(([reason]) => (denials[reason] ?? 0) > 0)
    .map(([, name]) => name);
  return `the run ends at its ${limits.join(" and ") || "limits"}`;
}

/** What the budget leaves to this plan. */
function leftBefore({ budget, spentMicros, inDoubtMicros, reservedMicros }: PlannedBudget): Micros {
  return toMicros(Math.max(0, budget.limitMicros - spentMicros - inDoubtMicros - reservedMicros));
}

/** A column of what is in doubt or set aside is there only if some budget has it. */
function formatBudgets(budgets: PlanReport["budgets"]): string {
  if (budgets.length === 0) {
    return "";
  }
  const columns: readonly (readonly [title: string, amount: (budget: PlannedBudget) => Micros])[] = [
    ["spent", ({ spentMicros }) => spentMicros],
    ...(budgets.some(({ inDoubtMicros }) => inDoubtMicros > 0)
      ? [["in doubt", ({ inDoubtMicros }: PlannedBudget) => inDoubtMicros] as const]
      : []),
    ...(budgets.some(({ reservedMicros }) => reservedMicros > 0)
      ? [["set aside", ({ reservedMicros }: PlannedBudget) => reservedMicros] as const]
      : []),
    ["planned", ({ plannedMicros }) => plannedMicros],
    ["left", ({ leftMicros }) => leftMicros],
    ["limit", ({ budget }) => budget.limitMicros],
  ];
  const rows = budgets.map((one) => [
    one.label,
    ...columns.map(([, amount]) => formatAmount(amount(one), one.budget.currency)),
    one.exhausted ? "runs out" : "",
  ]);
  return textTable(["budget", ...columns.map(([title]) => title), ""], rows, [
    "left",
    ...columns.map(() => "right" as const),
  ]);
}
