/** Lines of a list that name no page to buy: all are counted, a few of each reason are kept. Called within a write. */

import type { RejectedLine } from "../../list-ledger.ts";
import type { Tx } from "../tx.ts";

/** Examples kept for each reason. */
export const MAX_LINE_EXAMPLES = 5;
const MAX_RAW_CHARACTERS = 500;

const COUNT_LINES = `INSERT INTO rejected_line_total (run_id, reason, count) VALUES (@runRowId, @reason, 1)
  ON CONFLICT (run_id, reason) DO UPDATE SET count = count + 1 RETURNING count`;

/** Counts the lines, and keeps the first of each reason. */
export function addRejectedLines(tx: Tx, runRowId: number, lines: readonly RejectedLine[]): void {
  for (const { line, reason, raw } of lines) {
    if ((tx.value<number>(COUNT_LINES, { runRowId, reason }) as number) <= MAX_LINE_EXAMPLES) {
      tx.run(
        "INSERT INTO rejected_line (run_id, line, reason, raw) VALUES (?, ?, ?, ?)",
        runRowId,
        line,
        reason,
        raw.slice(0, MAX_RAW_CHARACTERS),
      );
    }
  }
}
