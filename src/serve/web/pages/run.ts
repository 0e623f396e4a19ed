/** One run: how far its pages came, with the money of each step; why the others did not; how fast; its configuration as it was. */

import { z } from "zod";
import { runId } from "../../../agent/calls/fields.ts";
import type { FunnelStep, RunFunnel } from "../../../agent/reports/run-funnel.ts";
import type { SiteSummary } from "../../../ledger/ledger-reports.ts";
import { commandLine } from "../command-line.ts";
import { actTable } from "../html/act-table.ts";
import { amountColumn } from "../html/amount-column.ts";
import { type Html, html } from "../html/html.ts";
import { stateBadge } from "../html/run-table.ts";
import { facts, live, section, table } from "../html/tables.ts";
import { address, button, count, foreign, instant, link, NONE } from "../html/values.ts";
import { definePage } from "../page.ts";

const STEP_WORDS: Readonly<Record<FunnelStep["step"], string>> = {
  seen: "The catalogs, notifications or lists named them.",
  quoted: "The gateway named rates. A page has several until the policy chooses one, so it has no price yet.",
  allowed: "Policy, budgets and limits allowed them. The money was set aside, fees included.",
  bought: "They were charged, fees included.",
  reported: "Uses that were reported, and what was charged on their reports.",
};

/** Where a step has no amount: why. Rates are not summed, because a page has one for each license, and pays one at most. */
const NO_MONEY: Readonly<Record<FunnelStep["step"], string>> = {
  seen: "no price yet",
  quoted: "no price yet",
  allowed: "nothing set aside",
  bought: "nothing charged",
  reported: "nothing charged",
};

export const runPage = definePage({
  path: "/runs/:run",
  title: (_report: RunFunnel, { params: { run } }) => `Run ${run}`,
  isLive: true,
  input: { params: z.strictObject({ run: runId.schema }) },
  command: ({ params: { run } }) => commandLine(["runs", run], { funnel: true }),
  read: (reports, { params: { run } }) => reports.runFunnel(run),
  body: (funnel, { mayAct }) => html`
${mayAct && actionLinks(funnel)}
${live("run", html`${facts(head(funnel))}${section("How far its pages came", steps(funnel))}`)}
${section("Sites", sites(funnel.sites))}
${section("Why pages were not bought", html`${notAsked(funnel)}${denials(funnel)}`)}
${section("Who decided what", decisions(funnel))}
${section("Configuration as it was", configurations(funnel))}`,
});

function head({ run, speed }: RunFunnel): readonly (readonly [string, Html | string])[] {
  return [
    ["State", html`${stateBadge(run)} ${run.reason !== null && foreign(run.reason)}`],
    ["Kind", run.kind],
    ["Started by", run.trigger],
    ["Started", instant(run.startedAt)],
    ["Ended", instant(run.endedAt)],
    [
      "Waits for",
      run.waits.length === 0 ? NONE : html`${run.waits.map(({ message }) => html`<div>${foreign(message)}</div>`)}`,
    ],
    ["Pages bought an hour", speed.pagesPerHour === null ? NONE : count(speed.pagesPerHour)],
    ["In doubt", count(run.pagesInDoubt)],
  ];
}

export type RunWord = "stop" | "resume" | "cancel";

/** What may be done with a run now. */
export function runWords({ run }: RunFunnel): readonly RunWord[] {
  const isOver = run.state === "completed" || run.state === "cancelled" || run.takenOverBy !== null;
  return run.isAlive ? ["stop", "cancel"] : isOver ? [] : ["resume", "cancel"];
}

const WORD_TEXTS: Readonly<Record<RunWord, string>> = {
  stop: "Stop\u00a0…",
  resume: "Resume\u00a0…",
  cancel: "Cancel\u00a0…",
};

/** Each leads to a page that says what it does, before it is done. */
function actionLinks(funnel: RunFunnel): Html {
  return html`<p>${runWords(funnel).map((word) => html`${button(address`/runs/${funnel.run.runId}/${word}`, WORD_TEXTS[word])} `)}</p>`;
}

const steps = (funnel: RunFunnel): Html =>
  table<FunnelStep>({
    caption: "Steps, each with its money",
    columns: [
      { title: "Step", cell: ({ step }) => html`<strong>${step}</strong>` },
      { title: "Pages", cell: ({ count: pages }) => count(pages), isNumber: true },
      amountColumn(
        "Money",
        ({ micros }) => micros,
        ({ step }) => NO_MONEY[step],
      ),
      { title: "What it means", cell: ({ step }) => STEP_WORDS[step] },
    ],
    rows: funnel.steps,
    empty: "",
  });

const sites = (rows: readonly SiteSummary[]): Html =>
  table<SiteSummary>({
    caption: "Sites of the run",
    columns: [
      { title: "Site", cell: ({ host }) => link(address`/sites/${host}`, foreign(host)) },
      { title: "Seen", cell: ({ seen }) => count(seen), isNumber: true },
      { title: "Allowed", cell: ({ approved }) => count(approved), isNumber: true },
      { title: "Bought", cell: ({ bought }) => count(bought), isNumber: true },
      { title: "Failed", cell: ({ failed }) => count(failed), isNumber: true },
      {
        title: "Stopped",
        cell: ({ stop, stopDetail }) => (stop === null ? NONE : html`${stop}: ${foreign(stopDetail)}`),
      },
    ],
    rows,
    empty: "The run has no site.",
  });

/** The pages that were seen and never decided: without them the steps do not add up for who reads them. */
function notAsked({ pages: { unchanged, excluded, undecided } }: RunFunnel): Html {
  return html`<p>Of the pages that were seen, ${count(unchanged)} are stored and have not changed, ${count(excluded)} are excluded by the configuration,
and ${count(undecided)} were not decided before the run ended or stopped.</p>`;
}

function denials({ run, denials: byReason, failures, refused }: RunFunnel): Html {
  const rows = [
    ...Object.entries(byReason).map(([reason, pages]) => ({ what: "denied", reason, pages })),
    ...Object.entries(failures).map(([reason, pages]) => ({ what: "failed", reason, pages })),
  ];
  return html`${table({
    caption: "Denials and failures",
    columns: [
      { title: "Reason", cell: ({ reason }) => reason },
      { title: "What", cell: ({ what }) => what },
      { title: "Pages", cell: ({ pages }) => count(pages), isNumber: true },
    ],
    rows,
    empty: "Every decided page was bought, or waits.",
  })}${refused.map(({ url, detail }) => html`<p>${foreign(url)}: ${foreign(detail)}</p>`)}
<p>${link(`/denials?run=${encodeURIComponent(run.runId)}`, "The denials by rule, with the pages")}.
${Object.keys(failures).length > 0 && html`<code>licet runs ${run.runId} --state released</code> lists the pages that failed.`}</p>`;
}

const decisions = ({ acts }: RunFunnel): Html =>
  actTable({
    caption: "Who started, stopped, resumed or cancelled it, the newest first",
    rows: acts,
    empty: "Nobody has stopped, resumed or cancelled it.",
  });

function configurations({ configurations: kept }: RunFunnel): Html {
  if (kept.length === 0) {
    return html`<p class="empty">None was kept: the run is older than this record, or it is a fetch.</p>`;
  }
  return html`${kept.map(
    ({ since, digest, configuration }) => html`<details><summary>Since ${instant(since)}: sha256 ${digest}</summary>
<pre>${JSON.stringify(configuration, null, 2)}</pre></details>`,
  )}`;
}
