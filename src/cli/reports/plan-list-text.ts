/** The saved plans of `serve.plans` as people read them. */
import type { ListedPlan, PlanDetails, PlanList, PlanOverview } from "../../agent/plans/plan-list.ts";
import { type PlanStanding, planStanding } from "../../agent/plans/plan-standing.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { plainText } from "../../plain-text.ts";
import { formatAmount, formatAmountCell, formatInstant, plural } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { formatLine, formatTable } from "../output/text-table.ts";
import { formatComparison } from "./plan-comparison-text.ts";
import { formatTerms } from "./rate-findings.ts";

export function formatPlanList({ directory, plans, nextCursor }: PlanList, layout: Layout): string {
  if (plans.length === 0) {
    const where = directory === null ? "serve.plans is not set" : `no plan is in ${plainText(directory)}`;
    return `${where}: licet plan --out plans/NAME.jsonl writes one.\n`;
  }
  return `${formatRows(plans, layout)}${nextCursor === null ? "" : `More: licet plans --cursor ${plainText(nextCursor)}\n`}`;
}

function formatRows(plans: readonly ListedPlan[], layout: Layout): string {
  return formatTable(
    [
      { title: "plan" },
      { title: "state" },
      { title: "made" },
      { title: "pages", align: "right" },
      { title: "at most", align: "right" },
    ],
    plans.map(({ name, plan, problem }) => ({
      cells: [
        plainText(name),
        plan === null ? { text: "broken", tone: "bad" } : stateOf(plan),
        formatInstant(plan?.createdAt ?? null),
        plan === null ? "" : String(plan.pages),
        plan === null ? "" : formatSums(plan.setAsideMicros),
      ],
      notes: notesOf(plan, problem).map(plainText),
    })),
    layout,
  );
}

const STANDINGS: Readonly<Record<Exclude<PlanStanding, "refused">, string>> = {
  approved: "approved",
  has_run: "has a run",
  to_approve: "to approve",
};

function stateOf(plan: PlanOverview): string {
  const standing = planStanding(plan);
  return standing === "refused" ? (plan.refused?.reason ?? standing) : STANDINGS[standing];
}

function notesOf(plan: PlanOverview | null, problem: string | null): readonly string[] {
  if (plan === null) {
    return [problem ?? ""];
  }
  return [
    ...(plan.refused === null ? [] : [plan.refused.detail]),
    ...plan.runs.map(
      ({ runId, state, approvedBy, reason }) =>
        `${runId} is ${state}${approvedBy === null ? "" : `, approved by ${approvedBy}`}${reason === null ? "" : `: ${reason}`}`,
    ),
  ];
}

const formatSums = (sums: Readonly<Record<Currency, Micros>>): string =>
  Object.entries(sums)
    .map(([currency, micros]) => formatAmountCell(micros, currency))
    .join(", ");

export function formatPlanDetails(
  { name, plan, pagesLeft, leftMicros, lines, against }: PlanDetails,
  layout: Layout,
): string {
  const table = formatTable(
    [{ title: "at most", align: "right" }, { title: "licence" }, { title: "page", wrap: true }],
    lines.map(({ url, maxPriceMicros, currency, licenseType, cuid }) => ({
      cells: [
        formatAmount(maxPriceMicros, currency),
        plainText(formatTerms(licenseType === null ? null : { licenseType, cuid })),
        plainText(url),
      ],
    })),
    layout,
  );
  const left = `${plural(pagesLeft, "page")} left, at most ${formatSums(leftMicros) || "nothing to pay"}`;
  return [
    formatRows([{ name, plan, problem: null }], layout),
    formatLine(left, layout),
    table,
    against === null ? "" : formatComparison(against),
  ].join("");
}
