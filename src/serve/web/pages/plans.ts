/** The saved plans, and one of them: its pages, and what it changes in money. */
import { z } from "zod";
import { planName } from "../../../agent/calls/fields.ts";
import { INPUTS } from "../../../agent/calls/inputs.ts";
import type { ChangedPages } from "../../../agent/plans/compare-plans.ts";
import {
  type ListedPlan,
  type PlanChanges,
  type PlanDetails,
  type PlannedLine,
  type PlanOverview,
  type PlanStanding,
  planStanding,
} from "../../../agent/plans/plan-list.ts";
import type { PlanRun } from "../../../ledger/run-reports.ts";
import type { PagePrice, PlanChange } from "../../../plan/plan-change.ts";
import { describeDifference } from "../../../plan/plan-differences.ts";
import { inQuery, rows } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { amountColumn, oneAmount } from "../html/amount-column.ts";
import { type Html, html } from "../html/html.ts";
import { facts, section, table } from "../html/tables.ts";
import {
  address,
  amounts,
  badge,
  button,
  count,
  foreign,
  instant,
  licenseType,
  link,
  NONE,
  query,
} from "../html/values.ts";
import { definePage } from "../page.ts";

const MAX_ROWS = 200;
const USUAL_ROWS = 50;

export const plansPage = definePage({
  path: "/plans",
  menu: { group: "Now", name: "Plans" },
  title: "Plans",
  input: { query: z.strictObject({ ...inQuery(INPUTS.plans), limit: rows(MAX_ROWS, USUAL_ROWS) }) },
  command: ({ query: asked }) => commandLine(["plans"], asked),
  read: (reports, { query: asked }) => reports.plans(asked),
  body: ({ directory, plans, nextCursor }, { asked: { query: asked } }) => html`
<p>A saved plan names pages and the most that each may cost. Nothing of it is bought before somebody approves it: who has logged
in with a token that may act (<code>can: act</code>), or runs <code>licet run --plan</code>.</p>
${table<ListedPlan>({
  caption: "Saved plans",
  columns: [
    { title: "Plan", cell: ({ name, plan }) => (plan === null ? foreign(name) : link(address`/plans/${name}`, name)) },
    {
      title: "State",
      cell: ({ plan, problem }) =>
        plan === null ? html`${badge("broken", "bad")} ${foreign(problem)}` : stateOf(plan),
    },
    { title: "Made", cell: ({ plan }) => instant(plan?.createdAt ?? null) },
    { title: "Sites", cell: ({ plan }) => (plan === null ? NONE : hostsOf(plan)) },
    { title: "Pages", cell: ({ plan }) => (plan === null ? NONE : count(plan.pages)), isNumber: true },
    amountColumn("Sets aside at most", ({ plan }) => plan?.setAsideMicros ?? {}),
    { title: "Runs", cell: ({ plan }) => (plan === null ? NONE : runsOf(plan.runs)) },
  ],
  rows: plans,
  empty:
    directory === null
      ? html`No directory has saved plans. Set <code>serve.plans: plans</code> in the configuration, start the service again, and write a plan into it:
<code>licet plan --out plans/NAME.jsonl</code>`
      : html`No plan is in ${foreign(directory)}. Make the directory, and write one: <code>licet plan --out plans/NAME.jsonl</code>`,
  next: nextCursor === null ? null : query({ ...asked, cursor: nextCursor }),
})}`,
});

const STANDINGS: Readonly<Record<PlanStanding, (plan: PlanOverview) => Html>> = {
  approved: () => badge("approved", "good"),
  has_run: () => badge("has a run", "good"),
  refused: ({ refused }) => badge(refused?.reason === "expired" ? "expired" : "configuration changed", "bad"),
  to_approve: () => badge("to approve", "caution"),
};

const stateOf = (plan: PlanOverview): Html => STANDINGS[planStanding(plan)](plan);

const hostsOf = ({ hosts }: PlanOverview): Html => html`${hosts.map((host) => html`<div>${foreign(host)}</div>`)}`;

const runsOf = (runs: readonly PlanRun[]): Html =>
  runs.length === 0
    ? NONE
    : html`${runs.map(
        ({ runId, state, approvedBy, approvedAt, reason }) =>
          html`<div>${link(address`/runs/${runId}`, runId)} ${state}${approvedBy !== null && html`, approved by ${foreign(approvedBy)} ${instant(approvedAt)}: ${foreign(reason)}`}</div>`,
      )}`;

export const planPage = definePage({
  path: "/plans/:name",
  title: (_report: PlanDetails, { params: { name } }) => `Plan ${name}`,
  input: {
    params: z.strictObject({ name: planName.schema }),
    query: z.strictObject({ ...inQuery(INPUTS.planDetails), limit: rows(MAX_ROWS, USUAL_ROWS) }),
  },
  command: ({ params: { name }, query: asked }) => commandLine(["plans", name], asked),
  read: (reports, { params: { name }, query: asked }) => reports.planDetails(name, asked),
  body: (details, { asked: { params, query: asked }, mayAct }) => html`
${mayAct && approval(details)}
${planFacts(details)}
<form class="row" method="get">
<div><label for="against">What it changes since the plan</label>
<input id="against" name="against" value="${asked.against ?? ""}" placeholder="NAME.jsonl"></div>
<button>Compare</button>
</form>
${details.against !== null && section(`Against ${asked.against}`, changes(details.against))}
${section("Pages", lines(details, details.nextCursor === null ? null : address`/plans/${params.name}` + query({ ...asked, cursor: details.nextCursor })))}`,
});

/** The link names what is shown: an approval is of that, and of nothing that the file says later. */
function approval({ name, content, plan: { refused, runs } }: PlanDetails): Html {
  if (runs.length > 0) {
    return html`<p class="note">A run buys from it already. To buy what is left, resume that run, or in a terminal: <code>licet run --plan</code></p>`;
  }
  return refused === null
    ? html`<p>${button(address`/plans/${name}/approve?content=${content}`, "Approve\u00a0…")}</p>`
    : html``;
}

/** What an approval approves. */
export function planFacts({ plan, edited, removed, lowered, pagesLeft, leftMicros, content }: PlanDetails): Html {
  return html`${plan.refused !== null && html`<p class="problem">It cannot be bought: ${foreign(plan.refused.detail)}</p>`}
${facts([
  ["State", stateOf(plan)],
  ["Pages", count(pagesLeft)],
  ["Sets aside at most, fees included", amounts(leftMicros)],
  ["Sites", hostsOf(plan)],
  ["Made", instant(plan.createdAt)],
  ["Counts until", instant(plan.expiresAt)],
  [
    "Edited",
    edited
      ? html`yes: pages taken out: ${count(removed)}, prices lowered: ${count(lowered)}. As made: ${count(plan.pages)} pages, ${amounts(plan.setAsideMicros)}`
      : "no",
  ],
  ["Runs", runsOf(plan.runs)],
  ["Content", html`sha256 ${content}`],
])}`;
}

const lines = ({ lines: rowsOfPlan }: PlanDetails, next: string | null): Html =>
  table<PlannedLine>({
    caption: "Pages in the order of their purchases",
    columns: [
      { title: "Page", cell: ({ url }) => foreign(url) },
      amountColumn("At most", ({ maxPriceMicros, currency }) => oneAmount(maxPriceMicros, currency)),
      {
        title: "Licence",
        cell: ({ licenseType: type, cuid }) => html`${licenseType(type)} ${cuid !== null && foreign(cuid)}`,
      },
      { title: "Policy", cell: ({ policyName }) => foreign(policyName) },
      { title: "Rule", cell: ({ ruleIndex }) => `rule ${ruleIndex + 1}` },
    ],
    rows: rowsOfPlan,
    empty: "No page is left in it.",
    next,
  });

function changes({ added, dropped, changed, same, before, after, differences, changes: pages }: PlanChanges): Html {
  const sums: readonly (readonly [string, ChangedPages])[] = [
    ["added", added],
    ["dropped", dropped],
    ["changed", changed],
  ];
  return html`${facts([
    ...sums.map(([what, sum]) => [`Pages ${what}`, html`${count(sum.pages)} ${amounts(sum.changeMicros)}`] as const),
    ["The same", count(same)],
    ["Before", html`${count(before.pages)} pages, ${amounts(before.setAsideMicros)}`],
    ["Now", html`${count(after.pages)} pages, ${amounts(after.setAsideMicros)}`],
  ])}
${differences.map((difference) => html`<p>Configuration: ${foreign(describeDifference(difference))}</p>`)}
${table<PlanChange>({
  caption: "The first pages that differ, by address",
  columns: [
    { title: "Page", cell: ({ url }) => foreign(url) },
    { title: "What", cell: ({ change }) => change },
    amountColumn("Before", ({ before: price }) => priceOf(price)),
    amountColumn("Now", ({ after: price }) => priceOf(price)),
    { title: "Licence", cell: ({ before: was, after: is }) => licenseType((is ?? was)?.license?.licenseType ?? null) },
  ],
  rows: pages,
  empty: "Both name the same pages for the same prices.",
})}`;
}

const priceOf = (price: PagePrice | null) => oneAmount(price?.maxPriceMicros ?? null, price?.currency ?? null);
