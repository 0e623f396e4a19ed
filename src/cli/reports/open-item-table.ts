import type { OpenItem } from "../../ledger/usage-ledger.ts";
import { formatInstant } from "../output/format-values.ts";
import { formatHost } from "../output/host-name.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { type Column, formatTable } from "../output/text-table.ts";

const COLUMNS: readonly Column[] = [
  { title: "item", align: "right" },
  { title: "kind" },
  { title: "count", align: "right" },
  { title: "since" },
  { title: "report" },
  { title: "page", below: true },
  { title: "detail", wrap: true, below: true },
];

/** Open items with their numbers. Empty when there are none. */
export function formatOpenItems(items: readonly OpenItem[], layout: Layout = PLAIN_LAYOUT): string {
  const rows = items.map(({ id, kind, count, batchId, url, host, detail, at }) => ({
    cells: [
      String(id),
      { text: kind, tone: "bad" as const },
      String(count),
      formatInstant(at),
      batchId === null ? "-" : String(batchId),
      url ?? "-",
      host === null ? detail : `${detail} (no page of ${formatHost(host)} is bought until this item is closed)`,
    ],
  }));
  return formatTable(COLUMNS, rows, layout);
}
