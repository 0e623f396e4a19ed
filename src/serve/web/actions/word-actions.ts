/** A person's word: doubts, reports, open items, alerts, pauses of sites, and the purge of a page. */

import { z } from "zod";
import { host, pageUrl } from "../../../agent/calls/fields.ts";
import { rowParams } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { amountColumn } from "../html/amount-column.ts";
import { html } from "../html/html.ts";
import { facts, table } from "../html/tables.ts";
import { address, amount, count, foreign, instant, link, NONE, query } from "../html/values.ts";
import { defineAction } from "./action.ts";

const NOTHING = z.strictObject({});
const hostParams = z.strictObject({ host: host.schema });

export const resolvePurchaseAction = defineAction({
  path: "/purchases/:id/resolve",
  input: { params: rowParams("The `purchaseId`.") },
  fields: z.strictObject({
    word: z
      .enum(["charged", "charged_and_not_bought_again", "not_charged", "not_charged_and_not_bought_again"])
      .describe("What the gateway's operator says"),
  }),
  title: ({ params: { id } }) => `Resolve purchase ${id}`,
  button: "Write it down",
  isFinal: true,
  command: ({ params: { id } }) => commandLine(["resolve", String(id)], { charged: true }),
  read: async (reports, { params: { id } }) =>
    (await reports.status()).inDoubt.find(({ purchaseId }) => purchaseId === id) ?? null,
  idle: (doubt) => (doubt === null ? "It is not among the purchases in doubt: somebody may have resolved it." : null),
  body: (doubt) =>
    doubt === null
      ? html``
      : html`<p>The request for this page was sent, and no usable answer came: the gateway may have charged it. <em>Charged</em> books the price as spent;
<em>not charged</em> frees it. Neither can be taken back. The next run may buy the page again, unless you say otherwise.</p>
${facts([
  ["Page", foreign(doubt.url)],
  ["In doubt", amount(doubt.quotedMicros, doubt.currency)],
  ["Since", instant(doubt.at)],
  ["Run", link(address`/runs/${doubt.runId}`, doubt.runId)],
  ["Why", html`${doubt.reason}: ${foreign(doubt.detail)}`],
])}`,
  work: ({ agent }, { asked, fields: { word }, acting }) =>
    agent.resolve(asked.params.id, word.startsWith("charged"), { keepOff: word.endsWith("again"), ...acting }),
  next: () => "/doubts",
});

export const resolveReportAction = defineAction({
  path: "/reports/:id/resolve",
  input: { params: rowParams("The report's `batchId`.") },
  fields: z.strictObject({ word: z.enum(["taken", "not_taken"]).describe("Whether the gateway has its uses") }),
  title: ({ params: { id } }) => `Resolve usage report ${id}`,
  button: "Write it down",
  isFinal: true,
  command: ({ params: { id } }) => commandLine(["resolve", String(id)], { taken: true }),
  read: (reports, { params: { id } }) => reports.usageReport(id, { limit: 1 }),
  idle: ({ report }) =>
    report.state === "needs_reconcile" ? null : "It has an answer, or is under way: there is nothing to say.",
  body: ({
    report,
  }) => html`<p>Nobody knows whether the gateway has this report. <em>Taken</em> settles its uses at the expected price; <em>not taken</em>
sends the same bytes under the same id again.</p>
${facts([
  ["State", report.state],
  ["Lines", count(report.entries)],
  ["Sent", count(report.attempts)],
  ["Made", instant(report.createdAt)],
])}`,
  work: ({ agent }, { asked, fields: { word }, acting }) =>
    agent.resolveReport(asked.params.id, word === "taken", acting),
  next: ({ params: { id } }) => address`/reports/${id}`,
});

export const closeItemAction = defineAction({
  path: "/items/:id/close",
  input: { params: rowParams("The item's `id`.") },
  fields: NOTHING,
  title: ({ params: { id } }) => `Close open item ${id}`,
  button: "Close the item",
  command: ({ params: { id } }) => commandLine(["resolve", String(id)], { close: true }),
  read: async (reports, { params: { id } }) =>
    (await reports.status()).openItems.find((item) => item.id === id) ?? null,
  idle: (item) => (item === null ? "It is not among the open items: somebody may have closed it." : null),
  body: (item) =>
    item === null
      ? html``
      : html`<p>You say that you have checked it. No money moves.
${item.host !== null && html`Pages of ${foreign(item.host)} may be bought again by the next run.`}</p>
${facts([
  ["Kind", item.kind],
  ["What", foreign(item.detail)],
  ["Page", foreign(item.url)],
  ["Stops", item.host === null ? NONE : foreign(item.host)],
  ["Since", instant(item.at)],
])}`,
  work: ({ agent }, { asked, acting }) => agent.closeItem(asked.params.id, acting),
  next: () => "/doubts",
});

export const acknowledgeAlertAction = defineAction({
  path: "/alerts/:id/acknowledge",
  input: { params: rowParams("The alert's `alertId`.") },
  fields: NOTHING,
  title: ({ params: { id } }) => `Look after alert ${id}`,
  button: "I look after it",
  command: ({ params: { id } }) => commandLine(["alerts"], { acknowledge: id }),
  read: async (reports, { params: { id } }) =>
    (await reports.raisedAlerts({ cursor: String(id + 1), limit: 1 })).alerts.find(({ alertId }) => alertId === id) ??
    null,
  idle: (alert) => (alert === null ? "There is no such alert any more." : null),
  body: (alert) =>
    alert === null
      ? html``
      : html`<p>Your name is written beside the alert, and it is no longer among those that nobody looks after. Receivers are told all the same.</p>
${facts([
  ["What", foreign(alert.message)],
  ["Raised", instant(alert.raisedAt)],
  ["First command", alert.command === null ? NONE : html`<code>${alert.command}</code>`],
])}`,
  work: ({ agent }, { asked, acting }) => agent.acknowledgeAlert(asked.params.id, acting),
  next: () => "/alerts",
});

export const pauseSiteAction = defineAction({
  path: "/sites/:host/pause",
  input: { params: hostParams },
  fields: NOTHING,
  title: ({ params }) => `Pause ${params.host}`,
  button: "Pause the site",
  command: ({ params }) => commandLine(["pause", params.host]),
  read: async (reports, { params }) => {
    const { unfinished } = await reports.status();
    return unfinished.filter(({ hosts }) => hosts.includes(params.host));
  },
  body: (
    runs,
    { params },
  ) => html`<p>Nothing of ${foreign(params.host)} is bought from now on, by any run, also one under way, until the pause ends. What is
reserved is released, what was sent is finished and charged. Stored pages stay, and reports go on.</p>
${table<(typeof runs)[number]>({
  caption: "Runs that stop the site",
  columns: [
    { title: "Run", cell: ({ runId }) => link(address`/runs/${runId}`, runId) },
    { title: "State", cell: ({ state }) => state },
    { title: "Reserved", cell: ({ reserved }) => count(reserved), isNumber: true },
    { title: "Sent", cell: ({ started }) => count(started), isNumber: true },
    amountColumn("Set aside", ({ setAsideMicros }) => setAsideMicros),
  ],
  rows: runs,
  empty: "No run that has not ended has the site.",
})}`,
  work: ({ agent }, { asked: { params }, acting }) => agent.pauseSite(params.host, acting),
  next: ({ params }) => address`/sites/${params.host}`,
});

export const unpauseSiteAction = defineAction({
  path: "/sites/:host/unpause",
  input: { params: hostParams },
  fields: NOTHING,
  title: ({ params }) => `End the pause of ${params.host}`,
  button: "End the pause",
  command: ({ params }) => commandLine(["pause", params.host], { end: true }),
  read: async (reports, { params }) => (await reports.status()).paused.find(({ host }) => host === params.host) ?? null,
  idle: (pause) => (pause === null ? "It is not paused." : null),
  body: (
    pause,
    { params },
  ) => html`<p>The next run buys from ${foreign(params.host)} again, under the policies and budgets of then. A run under way that has
stopped the site leaves it so.</p>
${
  pause !== null &&
  facts([
    ["Paused since", instant(pause.at)],
    ["By", foreign(pause.by)],
    ["Why", foreign(pause.reason)],
  ])
}`,
  work: ({ agent }, { asked: { params }, acting }) => agent.unpauseSite(params.host, acting),
  next: ({ params }) => address`/sites/${params.host}`,
});

export const purgePageAction = defineAction({
  path: "/documents/purge",
  input: { query: z.strictObject({ url: pageUrl.schema }) },
  fields: NOTHING,
  title: () => "Purge a page",
  button: "Delete its texts",
  isFinal: true,
  command: ({ query }) => commandLine(["purge"], { url: query.url, "dry-run": true }),
  read: (reports, { query }) => reports.evidence(query.url, { limit: 100 }),
  body: (
    { versions },
    { query },
  ) => html`<p>The texts of every stored version of ${foreign(query.url)} are deleted, and cannot be had back. Their hashes,
licences, prices, dates and uses stay as evidence. No money comes back, and the page is not bought again for it. Versions: ${count(versions.length)}.</p>`,
  work: ({ agent }, { asked: { query }, acting }) => agent.purge({ urls: [query.url], ...acting }),
  next: ({ query: { url } }, act) => (act === null ? `/documents${query({ url })}` : "/log"),
});
