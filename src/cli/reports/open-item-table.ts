import type { OpenItem } from "../../ledger/usage-ledger.ts";
import { formatInstant } from "../output/format-values.ts";
import { formatHost } from "../output/host-name.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { type ItemColumn, listTable } from "../output/text-table.ts";

const COLUMNS: readonly ItemColumn<OpenItem>[] = [
  { title: "item", align: "right", cell: ({ id }) => String(id) },
  { title: "kind", cell: ({ kind }) => ({ text: kind, tone: "bad" }) },
  { title: "count", align: "right", cell: ({ count }) => String(count) },
  { title: "since", cell: ({ at }) => formatInstant(at) },
  { title: "report", cell: ({ batchId }) => (batchId === null ? "-" : String(batchId)) },
  { title: "page", below: true, cell: ({ url }) => url ?? "-" },
  {
    title: "detail",
    wrap: true,
    below: true,
    cell: ({ detail, host }) =>
      host === null ? detail : `${detail} (no page of ${formatHost(host)} is bought until this item is closed)`,
  },
];

/** Open items with their numbers. Empty when there are none. */
export function formatOpenItems(items: readonly OpenItem[], layout: Layout = PLAIN_LAYOUT): string {
  return listTable(items, COLUMNS, layout);
}
