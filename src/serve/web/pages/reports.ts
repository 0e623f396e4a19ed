/** Usage reports, the newest first, and the receipts of one. */
import { z } from "zod";
import { INPUTS } from "../../../agent/calls/inputs.ts";
import type { ReportWithReceipts } from "../../../agent/reports/usage-reports-agent.ts";
import type { KeptReceipt, ListedReport } from "../../../ledger/report-reports.ts";
import { inQuery, rowParams, rows } from "../../api/request-parts.ts";
import { commandLine } from "../command-line.ts";
import { amountColumn, oneAmount } from "../html/amount-column.ts";
import { html } from "../html/html.ts";
import { facts, section, table } from "../html/tables.ts";
import { address, badge, button, count, foreign, instant, licenseType, link, NONE, query } from "../html/values.ts";
import { definePage } from "../page.ts";

const MAX_ROWS = 200;
const USUAL_ROWS = 50;
const RECEIPTS = 100;

const STATE_WORDS: Readonly<Record<ListedReport["state"], string>> = {
  frozen: "It is under way, or waits to be sent again.",
  settled: "The gateway has it.",
  rejected: "The gateway rejected it.",
  needs_reconcile: "Nobody knows whether the gateway has it. A person has to ask its operator.",
};

const stateOf = ({ state }: ListedReport) =>
  badge(state, state === "settled" ? "good" : state === "frozen" ? "plain" : "bad");

export const reportsPage = definePage({
  path: "/reports",
  menu: { group: "Money", name: "Reports and receipts" },
  title: "Reports and receipts",
  input: { query: z.strictObject({ ...inQuery(INPUTS.usageReports), limit: rows(MAX_ROWS, USUAL_ROWS) }) },
  command: ({ query: asked }) => commandLine(["reports"], asked),
  read: (reports, { query: asked }) => reports.usageReports(asked),
  body: ({ reports, nextCursor }, { asked: { query: asked } }) => html`
<p>Each report has a frozen body under its own id, and is sent until an answer settles it.
${link("?state=needs_reconcile", "Those that need a person")}, ${link("?state=frozen", "those under way")}, ${link("?", "all")}.</p>
${table<ListedReport>({
  caption: "Usage reports",
  columns: [
    { title: "Report", cell: ({ batchId }) => link(address`/reports/${batchId}`, String(batchId)) },
    { title: "State", cell: stateOf },
    { title: "Lines", cell: ({ entries }) => count(entries), isNumber: true },
    { title: "Sent", cell: ({ attempts }) => count(attempts), isNumber: true },
    { title: "Made", cell: ({ createdAt }) => instant(createdAt) },
    { title: "Answered", cell: ({ closedAt }) => instant(closedAt) },
    { title: "Detail", cell: ({ detail }) => foreign(detail) },
  ],
  rows: reports,
  empty: "No usage report matches. The first one is made after the first page was bought.",
  next: nextCursor === null ? null : query({ ...asked, cursor: nextCursor }),
})}`,
});

export const reportPage = definePage({
  path: "/reports/:id",
  title: (_report: ReportWithReceipts, { params: { id } }) => `Usage report ${id}`,
  input: { params: rowParams("The report's `batchId`.") },
  command: ({ params: { id } }) => commandLine(["reports", String(id)], { limit: RECEIPTS }),
  read: (reports, { params: { id } }) => reports.usageReport(id, { limit: RECEIPTS }),
  body: ({ report, receipts }, { mayAct }) => html`
${mayAct && report.state === "needs_reconcile" && html`<p>${button(address`/reports/${report.batchId}/resolve`, "Say whether the gateway has it\u00a0…")}</p>`}
${facts([
  ["State", html`${stateOf(report)} ${STATE_WORDS[report.state]}`],
  ["Id at the gateway", foreign(report.idempotencyId)],
  ["Lines", count(report.entries)],
  ["Sent", count(report.attempts)],
  ["Made", instant(report.createdAt)],
  ["Answered", instant(report.closedAt)],
  ["Detail", foreign(report.detail)],
])}
${section(
  "Receipts",
  table<KeptReceipt>({
    caption: "Receipts that say something else than their line",
    columns: [
      { title: "Page", cell: ({ url }) => foreign(url) },
      amountColumn("Each", ({ perUnitMicros, currency }) => oneAmount(perUnitMicros, currency)),
      amountColumn("In all", ({ totalMicros, currency }) => oneAmount(totalMicros, currency)),
      { title: "Licence", cell: ({ licenseType: type }) => licenseType(type) },
      { title: "Error", cell: ({ error }) => (error === null ? NONE : foreign(error)) },
      { title: "At", cell: ({ at }) => instant(at) },
    ],
    rows: receipts,
    empty:
      report.receiptsAsExpectedAt === null
        ? "No receipt is kept of it."
        : html`A receipt of each line came, as expected: ${instant(report.receiptsAsExpectedAt)}.`,
  }),
)}`,
});
