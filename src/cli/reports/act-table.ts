/** Acts as people read them: who did what, when and why. */
import type { Act } from "../../ledger/act-ledger.ts";
import { formatInstant, plural } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { listTable } from "../output/text-table.ts";

export function formatActs(acts: readonly Act[], layout: Layout): string {
  return listTable(
    acts,
    [
      { title: "at", cell: ({ at }) => formatInstant(at) },
      { title: "by", cell: ({ by }) => by ?? "not known" },
      { title: "what", cell: ({ kind }) => kind },
      { title: "of", wrap: true, below: true, cell: describeSubject },
      { title: "reason", wrap: true, below: true, cell: ({ reason }) => reason ?? "" },
    ],
    layout,
  );
}

function describeSubject({ kind, purchaseId, url, batchId, itemId, runId, host, alert, plan, count }: Act): string {
  const page = url === null ? "" : `: ${url}`;
  if (kind === "content_purged") {
    return `${plural(count, "version of a page", "versions of pages")}${count === 1 ? page : `, the first of purchase ${purchaseId}${page}`}`;
  }
  if (purchaseId !== null) {
    return `purchase ${purchaseId}${page}`;
  }
  if (batchId !== null) {
    return `report ${batchId}`;
  }
  if (itemId !== null) {
    return `open item ${itemId}`;
  }
  if (runId !== null) {
    return plan === null ? runId : `${runId}, of plan ${plan}`;
  }
  return host ?? (alert === null ? "this ledger" : `alert ${alert}`);
}
