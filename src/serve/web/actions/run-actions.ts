/** Start, resume, stop and cancel runs. */

import { z } from "zod";
import { amountText, count, runId } from "../../../agent/calls/fields.ts";
import type { StatusReport, UnfinishedRunStatus } from "../../../agent/reports/status-report.ts";
import { money } from "../../../money/money-input.ts";
import { cancelHere } from "../../api/run-actions.ts";
import { askOfRun, beginRun, findLiveRun } from "../../api/run-begin.ts";
import { commandLine } from "../command-line.ts";
import { amountColumn, oneAmount } from "../html/amount-column.ts";
import { type Html, html } from "../html/html.ts";
import { table } from "../html/tables.ts";
import { address, amounts, count as countOf, foreign, link } from "../html/values.ts";
import type { PageReports } from "../page.ts";
import { type RunWord, runWords } from "../pages/run.ts";
import { defineAction } from "./action.ts";

const NOTHING = z.strictObject({});
const params = z.strictObject({ id: runId.schema });
const EVERY = "every configured site";

interface RunStanding {
  /** What may be done with it now. */
  readonly words: readonly RunWord[];
  /** Null: it holds nothing. */
  readonly run: UnfinishedRunStatus | null;
  readonly budgets: StatusReport["budgets"];
}

async function readStanding(reports: PageReports, id: string): Promise<RunStanding> {
  const funnel = await reports.runFunnel(id);
  const { unfinished, budgets } = await reports.status();
  return { words: runWords(funnel), run: unfinished.find((one) => one.runId === id) ?? null, budgets };
}

const idleUnless =
  (word: RunWord, why: string) =>
  ({ words }: RunStanding): string | null =>
    words.includes(word) ? null : why;

export const budgetsLeft = (budgets: StatusReport["budgets"]): Html =>
  table<StatusReport["budgets"][number]>({
    caption: "What the budgets leave",
    columns: [
      { title: "Budget", cell: ({ label }) => foreign(label) },
      amountColumn("Left", ({ leftMicros, budget: { limitMicros, currency } }) =>
        oneAmount(leftMicros ?? limitMicros, currency),
      ),
    ],
    rows: budgets,
    empty: "No budget is configured, so nothing can be bought.",
  });

const held = (run: UnfinishedRunStatus | null): Html =>
  run === null
    ? html`<p>It holds no money now.</p>`
    : html`<p>It holds ${countOf(run.reserved)} pages that are reserved and ${countOf(run.started)} that were sent, and has set aside:</p>
${amounts(run.setAsideMicros)}`;

export const startRunAction = defineAction({
  path: "/runs/start",
  input: {},
  fields: z.strictObject({
    site: z.string().max(255).optional().describe(`Site (nothing: ${EVERY})`),
    maxSpend: amountText.optional().describe('At most, such as "5 USD" (nothing: what the budgets leave)'),
    maxPages: z
      .string()
      .regex(/^\d{1,9}$/, "a whole number")
      .transform(Number)
      .pipe(count.schema)
      .optional()
      .describe("At most so many pages (nothing: no limit of its own)"),
  }),
  title: () => "Start a run",
  button: "Start the run",
  command: () => commandLine(["run"]),
  read: (reports) => reports.status(),
  body: ({ budgets, paused, unfinished }) => html`
<p>A run walks the catalogs, asks for rates, and buys what policy and budgets allow. An interrupted run of the same sites goes on. It spends at most what
the budgets leave:</p>
${budgetsLeft(budgets)}
${paused.length > 0 && html`<p>Paused, so nothing of them is bought: ${paused.map(({ host }) => html`${foreign(host)} `)}</p>`}
${unfinished.some(({ isAlive }) => isAlive) && html`<p class="note">Runs are at work. A second run of their sites is refused.</p>`}`,
  work: (context, { fields: { site, ...limits }, acting }) =>
    beginRun(context, { hosts: site === undefined ? [] : [site], options: { ...withMoney(limits), ...acting } }),
  next: (_asked, act) => (act?.runId == null ? "/runs" : address`/runs/${act.runId}`),
});

function withMoney({
  maxSpend,
  maxPages,
}: {
  readonly maxSpend?: string | undefined;
  readonly maxPages?: number | undefined;
}) {
  return {
    ...(maxSpend === undefined ? {} : { maxSpend: money(maxSpend) }),
    ...(maxPages === undefined ? {} : { maxPages }),
  };
}

export const resumeRunAction = defineAction({
  path: "/runs/:id/resume",
  input: { params },
  fields: NOTHING,
  title: ({ params: { id } }) => `Resume run ${id}`,
  button: "Resume the run",
  command: ({ params: { id } }) => commandLine(["run"], { resume: id }),
  read: (reports, { params: { id } }) => readStanding(reports, id),
  idle: idleUnless("resume", "It is at work, or it has ended for good: there is nothing to resume."),
  body: ({ run, budgets }, { params: { id } }) => html`
<p>Run ${link(address`/runs/${id}`, id)} goes on with what it left, under the policies and budgets of now. What it had started without an answer is probed
with its own tokens. It spends at most what the budgets leave.</p>${held(run)}${budgetsLeft(budgets)}`,
  work: (context, { asked: { params: asked }, acting }) =>
    askOfRun(context, asked.id, () => beginRun(context, { hosts: [], options: { resume: asked.id, ...acting } })),
  next: ({ params: { id } }) => address`/runs/${id}`,
});

export const stopRunAction = defineAction({
  path: "/runs/:id/stop",
  input: { params },
  fields: NOTHING,
  title: ({ params: { id } }) => `Stop run ${id}`,
  button: "Stop the run",
  command: ({ params: { id } }) => commandLine(["runs", id], { funnel: true }),
  read: (reports, { params: { id } }) => readStanding(reports, id),
  idle: idleUnless("stop", "It is not at work: there is nothing to stop."),
  body: ({ run }, { params: { id } }) => html`
<p>Run ${link(address`/runs/${id}`, id)} ends as <em>interrupted</em>: what was sent is finished and charged, what is reserved is released, and the rest can
be resumed. Nothing is deleted.</p>${held(run)}`,
  work: async (context, { asked: { params: asked }, acting }) => (await findLiveRun(context, asked.id)).stop(acting),
  next: ({ params: { id } }) => address`/runs/${id}`,
});

export const cancelRunAction = defineAction({
  path: "/runs/:id/cancel",
  input: { params },
  fields: NOTHING,
  title: ({ params: { id } }) => `Cancel run ${id}`,
  button: "Cancel the run",
  isFinal: true,
  command: ({ params: { id } }) => commandLine(["cancel", id]),
  read: (reports, { params: { id } }) => readStanding(reports, id),
  idle: idleUnless("cancel", "It has ended for good: there is nothing to cancel."),
  body: ({ run, words }, { params: { id } }) => html`
<p>Run ${link(address`/runs/${id}`, id)} ends for good: what is reserved is released, what was sent is finished, or probed with its own token, and may be
charged. It cannot be resumed; the next run of its sites finds what is left.${words.includes("stop") && html` To end it so that it can go on, ${link(address`/runs/${id}/stop`, "stop it")}.`}</p>
${held(run)}`,
  work: (context, { asked: { params: asked }, acting }) => cancelHere(context, asked.id, acting),
  next: ({ params: { id } }) => address`/runs/${id}`,
});
