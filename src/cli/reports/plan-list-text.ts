/** The saved plans of `serve.plans` as people read them. */
import {
  type ListedPlan,
  type PlanDetails,
  type PlanList,
  type PlanOverview,
  type PlanStanding,
  planStanding,
} from "../../agent/plans/plan-list.ts";
import { plainText } from "../../plain-text.ts";
import { formatAmount, formatInstant, formatSums, plural } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { formatLine, listTable } from "../output/text-table.ts";
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
  return listTable(
    plans,
    [
      { title: "plan", cell: ({ name }) => name },
      { title: "state", cell: ({ plan }) => (plan === null ? { text: "broken", tone: "bad" } : stateOf(plan)) },
      { title: "made", cell: ({ plan }) => formatInstant(plan?.createdAt ?? null) },
      { title: "pages", align: "right", cell: ({ plan }) => (plan === null ? "" : String(plan.pages)) },
      { title: "at most", align: "right", cell: ({ plan }) => (plan === null ? "" : formatSums(plan.setAsideMicros)) },
    ],
    layout,
    ({ plan, problem }) => notesOf(plan, problem),
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

export function formatPlanDetails(
  { name, plan, pagesLeft, leftMicros, lines, against }: PlanDetails,
  layout: Layout,
): string {
  const table = listTable(
    lines,
    [
      {
        title: "at most",
        align: "right",
        cell: ({ maxPriceMicros, currency }) => formatAmount(maxPriceMicros, currency),
      },
      {
        title: "licence",
        cell: ({ licenseType, cuid }) => formatTerms(licenseType === null ? null : { licenseType, cuid }),
      },
      { title: "page", wrap: true, cell: ({ url }) => url },
    ],
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
