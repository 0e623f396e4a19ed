/** Whether the service buys, and what it waits for. */

import type { StatusReport, UnfinishedRunStatus } from "../../../../agent/reports/status-report.ts";
import type { KnownWait } from "../../../../ledger/wait-ledger.ts";
import { WAIT_WORDS } from "../../../../run/wait.ts";
import { amountColumn } from "../../html/amount-column.ts";
import { type Html, html } from "../../html/html.ts";
import { hostsCell } from "../../html/run-table.ts";
import { table } from "../../html/tables.ts";
import { address, badge, button, count, foreign, instant, link, NONE } from "../../html/values.ts";

export function showBuying({ unfinished, waits, service }: StatusReport, mayAct: boolean): Html {
  const atWork = unfinished.filter(({ isAlive }) => isAlive);
  const left = unfinished.filter(({ isAlive }) => !isAlive);
  return html`<p>${answer(atWork, waits)}</p>
${mayAct && atWork.length === 0 && html`<p>${button("/runs/start", "Start a run\u00a0…")}</p>`}
${service !== null && !service.isAlive && html`<p>${badge("no service", "caution")} The last service is not at work.</p>`}
${waits.length > 0 && html`<ul class="needs">${waits.map((wait) => html`<li>${showWait(wait)}</li>`)}</ul>`}
${atWork.length > 0 && runTable("Runs at work", atWork)}
${left.length > 0 && runTable("Runs that have not ended, and that nobody works on: the next run of their sites goes on", left)}`;
}

function answer(atWork: readonly UnfinishedRunStatus[], waits: readonly KnownWait[]): Html {
  if (atWork.length === 0) {
    return html`${badge("no", "plain")} No run is at work. A run begins by its ${link("/schedules", "schedule")}, by a notification, or by <code>licet run</code>.`;
  }
  const waiting = new Set(waits.flatMap(({ runId }) => (runId === null ? [] : [runId])));
  return atWork.every(({ runId }) => waiting.has(runId))
    ? html`${badge("it waits", "caution")} Every run at work waits. It goes on by itself.`
    : html`${badge("yes", "good")} Runs are at work.`;
}

function showWait({ runId, place, code, message, hint, since, until }: KnownWait): Html {
  const who = runId === null ? "The service" : html`Run ${link(address`/runs/${runId}`, runId)}`;
  return html`${badge("waits", "caution")} ${who} waits for ${WAIT_WORDS[place]} since ${instant(since)}${
    until !== null && html`, and looks again at ${instant(until)}`
  }: ${foreign(message)} (<code>${code}</code>)${hint !== null && html`<br>${hint}`}`;
}

function runTable(caption: string, runs: readonly UnfinishedRunStatus[]): Html {
  return table<UnfinishedRunStatus>({
    caption,
    columns: [
      { title: "Run", cell: ({ runId }) => link(address`/runs/${runId}`, runId) },
      { title: "State", cell: ({ state, isAlive }) => stateCell(state, isAlive) },
      { title: "Sites", cell: hostsCell },
      { title: "Started", cell: ({ startedAt }) => instant(startedAt) },
      { title: "Last sign of life", cell: ({ lastSeenAt }) => instant(lastSeenAt) },
      { title: "Pages reserved", cell: ({ reserved }) => count(reserved), isNumber: true },
      { title: "Requests sent", cell: ({ started }) => count(started), isNumber: true },
      amountColumn("Set aside", ({ setAsideMicros }) => setAsideMicros),
    ],
    rows: runs,
    empty: NONE,
  });
}

const stateCell = (state: string, isAlive: boolean): Html =>
  state === "running" && !isAlive ? badge("died", "bad") : badge(state, isAlive ? "good" : "caution");
