/** What became of the lines of a run's list. */
import type { ListSummary } from "../../list-ledger.ts";
import type { ReadTx } from "../operation.ts";

type ListRow = Omit<ListSummary, "isRead" | "pages" | "rejected" | "examples"> & { readonly isRead: number };

/** Null for a run without a list. */
export function readList(tx: ReadTx, id: number, pages: number): ListSummary | null {
  const list = tx.get<ListRow>`SELECT l.source, l.path, r.name AS goesOnFrom, l.lines_read AS lines, l.is_read AS isRead, l.repeated
    FROM run_list l LEFT JOIN run r ON r.id = l.goes_on_from WHERE l.run_id = ${id}`;
  if (list === undefined) {
    return null;
  }
  const totals = tx.all<{ reason: string; count: number }>`
    SELECT reason, count FROM rejected_line_total WHERE run_id = ${id} ORDER BY reason`;
  const examples = tx.all<ListSummary["examples"][number]>`
    SELECT line, reason, raw FROM rejected_line WHERE run_id = ${id} ORDER BY line`;
  const rejected = Object.fromEntries(totals.map(({ reason, count }) => [reason, count]));
  return { ...list, isRead: list.isRead === 1, pages, rejected, examples };
}
