/** What a person has to decide: purchases in doubt, and open items. */
import type { DoubtfulPurchase } from "../../../ledger/ledger-status.ts";
import type { OpenItem } from "../../../ledger/usage-ledger.ts";
import { commandLine } from "../command-line.ts";
import { html } from "../html/html.ts";
import { section, table } from "../html/tables.ts";
import { address, amount, count, foreign, instant, link, NONE } from "../html/values.ts";
import { definePage } from "../page.ts";

export const doubtsPage = definePage({
  path: "/doubts",
  menu: { group: "Now", name: "Doubts and open items" },
  title: "Doubts and open items",
  command: commandLine(["status"]),
  read: (reports) => reports.status(),
  body: ({ inDoubt, openItems, totals }, { viewer }) => html`
${section(
  "Purchases in doubt",
  html`<p>The gateway may have charged them, and no content arrived. Ask its operator, then say which.</p>
${table<DoubtfulPurchase>({
  caption: `Purchases in doubt, ${totals.inDoubt} in all`,
  columns: [
    { title: "Purchase", cell: ({ purchaseId }) => String(purchaseId) },
    { title: "Page", cell: ({ url }) => foreign(url) },
    { title: "Price", cell: ({ quotedMicros, currency }) => amount(quotedMicros, currency), isNumber: true },
    { title: "Since", cell: ({ at }) => instant(at) },
    { title: "Run", cell: ({ runId }) => link(address`/runs/${runId}`, runId) },
    { title: "Why", cell: ({ reason, detail }) => html`${reason}: ${foreign(detail)}` },
    {
      title: "Decide",
      cell: ({ purchaseId }) =>
        viewer.mayAct ? link(address`/purchases/${purchaseId}/resolve`, "charged, or not …") : NONE,
    },
  ],
  rows: inDoubt,
  empty: "No purchase is in doubt.",
})}`,
)}
${section(
  "Open items",
  table<OpenItem>({
    caption: `Open items, ${totals.openItems} in all`,
    columns: [
      { title: "Item", cell: ({ id }) => String(id) },
      { title: "Kind", cell: ({ kind }) => kind },
      {
        title: "What",
        cell: ({ detail, url }) => html`${foreign(detail)}${url !== null && html`<br>${foreign(url)}`}`,
      },
      { title: "Stops", cell: ({ host }) => (host === null ? NONE : link(address`/sites/${host}`, foreign(host))) },
      { title: "Cases", cell: ({ count: cases }) => count(cases), isNumber: true },
      { title: "Since", cell: ({ at }) => instant(at) },
      {
        title: "Decide",
        cell: ({ id, kind, batchId }) =>
          !viewer.mayAct
            ? NONE
            : kind === "needs_reconcile" && batchId !== null
              ? link(address`/reports/${batchId}/resolve`, "taken, or not …")
              : link(address`/items/${id}/close`, "close …"),
      },
    ],
    rows: openItems,
    empty: "No item is open.",
  }),
)}`,
});
