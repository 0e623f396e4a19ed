import type { OpenItem } from "../ledger/usage-ledger.ts";
import { formatInstant } from "./format-values.ts";
import { textTable } from "./text-table.ts";

/** Open items with their numbers. Empty when there are none. */
export function formatOpenItems(items: readonly OpenItem[]): string {
  const rows = items.map(({ id, kind, count, batchId, url, host, detail, at }) => [
    String(id),
    kind,
    String(count),
    formatInstant(at),
    batchId === null ? "-" : String(batchId),
    url ?? "-",
    host === null ? detail : `${detail} (no page of ${host} is bought until this item is closed)`,
  ]);
  return rows.length === 0
    ? ""
    : textTable(["item", "kind", "count", "since", "report", "page", "detail"], rows, ["right", "left", "right"]);
}
