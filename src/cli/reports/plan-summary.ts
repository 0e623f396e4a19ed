/** The text that `licet plan` prints. */
import type { PlannedBudget, PlannedPages, PlanReport } from "../../agent/plans/plan-report.ts";
import { type Micros, toMicros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { formatAmount, formatAmountCell, formatDuration, formatInstant, plural } from "../output/format-values.ts";
import { formatHost } from "../output/host-name.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { section } from "../output/report-sections.ts";
import { type Column, formatLine, formatTable, type Row, textTable } from "../output/text-table.ts";
import { describeList, formatBadLines } from "./list-lines.ts";
import { denialTable, type PageColumn, pageCountsTable } from "./page-counts-table.ts";

const WOULD_BUY: readonly PageColumn<PlannedPages>[] = [{ title: "would buy", count: ({ approved }) => approved }];

export function formatPlan(report: PlanReport, layout: Layout = PLAIN_LAYOUT): string {
  const { sites, pages, list, denials, cost, budgets, durationMs } = report;
  const costRows = Object.entries(cost).map(([currency, { setAsideMicros, pages: count }]) => [
    formatAmount(setAsideMicros, currency),
    `for ${plural(count, "page")}`,
  ]);
  return [
    pageCountsTable(sites, pages, WOULD_BUY, layout),
    ...sites.flatMap(({ host, warning }) =>
      warning === null ? [] : formatLine(`${formatHost(host)}: ${warning}`, layout, { indent: "  " }),
    ),
    ...(list === null ? [] : [formatLine(`List: ${describeList(list)}`, layout)]),
    ...formatPages(report, layout),
    `\nCost of ${plural(pages.approved, "page")}:\n`,
    costRows.length === 0 ? "  nothing\n" : textTable(null, costRows, ["right"]),
    ...formatShortfalls(report, layout),
    ...section("Lines left out", formatBadLines(list, layout)),
    ...section("Denied", denialTable(denials)),
    ...section("Budgets", formatBudgets(budgets, layout)),
    ...formatFile(report, layout),
    `\nNothing was reserved or spent. It took ${formatDuration(durationMs)}.\n`,
  ].join("");
}

function formatFile({ file }: PlanReport, layout: Layout): string[] {
  if (file === null) {
    return [];
  }
  const { path, pages, expiresAt } = file;
  const until = formatInstant(Date.parse(expiresAt));
  return [
    `\nSaved ${plural(pages, "page")}, until ${until} UTC:\n`,
    formatLine(path, layout, { indent: "  " }),
    formatLine("To read it: licet plan --show FILE. To buy it: licet run --plan FILE", layout, { indent: "  " }),
  ];
}

function formatPages({ approvedPages, pages }: PlanReport, layout: Layout): string[] {
  const isDearer = approvedPages.some(({ priceMicros, setAsideMicros }) => setAsideMicros > (priceMicros ?? 0));
  const rows = approvedPages.map((page) => ({
    cells: [
      formatAmountCell(page.priceMicros, page.currency),
      ...(isDearer ? [formatAmountCell(page.setAsideMicros, page.currency)] : []),
      page.license?.licenseType ?? "indexing",
      `${page.policyName}, rule ${page.ruleIndex + 1}`,
      page.url,
    ],
  }));
  const more = pages.approved - rows.length;
  const columns: readonly Column[] = [
    { title: "price", align: "right" },
    ...(isDearer ? [{ title: "with fees", align: "right" } as const] : []),
    { title: "licence" },
    { title: "rule" },
    { title: "page", below: true },
  ];
  const table = formatTable(columns, rows, layout);
  return section("Would buy", more > 0 && rows.length > 0 ? `${table}  and ${plural(more, "more page")}\n` : table);
}

/** What everything would cost, in each currency in which a limit leaves pages out. */
function formatShortfalls({ cost, costWithoutLimits, budgets, denials }: PlanReport, layout: Layout): string[] {
  return Object.entries(costWithoutLimits).flatMap(([currency, all]) => {
    const bought = cost[currency]?.pages ?? 0;
    if (bought === all.pages) {
      return [];
    }
    const everything = `${formatAmount(all.setAsideMicros, currency)} for ${plural(all.pages, "page")}`;
    const limits = describeLimits(currency, budgets, denials);
    return formatLine(`Without limits: ${everything}; ${limits}, that buys ${bought}.`, layout, { indent: "  " });
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
function formatBudgets(budgets: PlanReport["budgets"], layout: Layout): string {
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
  const rows = budgets.map(
    (one): Row => ({
      cells: [
        one.label,
        ...columns.map(([, amount]) => formatAmountCell(amount(one), one.budget.currency)),
        one.exhausted ? { text: "runs out", tone: "bad" } : "",
      ],
    }),
  );
  const amounts = columns.map(([title]): Column => ({ title, align: "right" }));
  return formatTable([{ title: "budget", wrap: true }, ...amounts, { title: "" }], rows, layout);
}
