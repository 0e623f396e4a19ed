/** What a person has to decide: purchases in doubt, and open items. */

import type { DoubtfulPurchase } from "../../../ledger/ledger-status.ts";
import type { OpenItem } from "../../../ledger/usage-ledger.ts";
import { commandLine } from "../command-line.ts";
import { amountColumn, oneAmount } from "../html/amount-column.ts";
import { html } from "../html/html.ts";
import { section, table } from "../html/tables.ts";
import { address, count, foreign, instant, link, NONE } from "../html/values.ts";
import { definePage } from "../page.ts";

export const doubtsPage = definePage({
  path: "/doubts",
  menu: { group: "Now", name: "Doubts and open items" },
  title: "Doubts and open items",
  command: commandLine(["status"]),
  read: (reports) => reports.status(),
  body: ({ inDoubt, openItems, totals }, { mayAct }) => html`
${section(
  "Purchases in doubt",
  html`<p>The gateway may have charged them, and no content arrived. Budgets count their money until somebody says what became of it: ask the
gateway's operator whether each was charged, then resolve it here.</p>
${table<DoubtfulPurchase>({
  caption: `Purchases in doubt, ${totals.inDoubt} in all`,
  columns: [
    {
      title: "Purchase",
      cell: ({ purchaseId }) =>
        html`${purchaseId}${mayAct && html`<br>${link(address`/purchases/${purchaseId}/resolve`, "Resolve\u00a0…")}`}`,
    },
    { title: "Page", cell: ({ url }) => foreign(url) },
    amountColumn("Price", ({ quotedMicros, currency }) => oneAmount(quotedMicros, currency)),
    { title: "Since", cell: ({ at }) => instant(at) },
    { title: "Run", cell: ({ runId }) => link(address`/runs/${runId}`, runId) },
    { title: "Why", cell: ({ reason, detail }) => html`${reason}: ${foreign(detail)}` },
  ],
  rows: inDoubt,
  empty: "No purchase is in doubt. When a request was sent and no usable answer came, it is here with its money.",
})}`,
)}
${section(
  "Open items",
  table<OpenItem>({
    caption: `Open items, ${totals.openItems} in all`,
    columns: [
      {
        title: "Item",
        cell: ({ id, kind, batchId }) =>
          html`${id}${
            mayAct &&
            html`<br>${
              kind === "needs_reconcile" && batchId !== null
                ? link(address`/reports/${batchId}/resolve`, "Resolve\u00a0…")
                : link(address`/items/${id}/close`, "Close\u00a0…")
            }`
          }`,
      },
      { title: "Kind", cell: ({ kind }) => kind },
      {
        title: "What",
        cell: ({ detail, url }) => html`${foreign(detail)}${url !== null && html`<br>${foreign(url)}`}`,
      },
      { title: "Stops", cell: ({ host }) => (host === null ? NONE : link(address`/sites/${host}`, foreign(host))) },
      { title: "Cases", cell: ({ count: cases }) => count(cases), isNumber: true },
      { title: "Since", cell: ({ at }) => instant(at) },
    ],
    rows: openItems,
    empty: "No item is open. What the gateway answered against the rules is here, until a person has looked at it.",
  }),
)}`,
});
