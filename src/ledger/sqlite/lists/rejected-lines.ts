/** Lines of a list that name no page to buy: all are counted, a few of each reason are kept. Called within a write. */
import type { RejectedLine } from "../../list-ledger.ts";
import type { Connection } from "../engine/connection.ts";

/** Examples kept for each reason. */
export const MAX_LINE_EXAMPLES = 5;
const MAX_RAW_CHARACTERS = 500;

export interface RejectedLines {
  add(runRowId: number, lines: readonly RejectedLine[]): void;
}

export function createRejectedLines(db: Connection): RejectedLines {
  const count = db
    .prepare<{ runRowId: number; reason: string }, number>(
      `INSERT INTO rejected_line_total (run_id, reason, count) VALUES (@runRowId, @reason, 1)
       ON CONFLICT (run_id, reason) DO UPDATE SET count = count + 1 RETURNING count`,
    )
    .pluck();
  const insert = db.prepare<[number, number, string, string]>(
    "INSERT INTO rejected_line (run_id, line, reason, raw) VALUES (?, ?, ?, ?)",
  );
  return {
    add(runRowId, lines) {
      for (const { line, reason, raw } of lines) {
        if ((count.get({ runRowId, reason }) as number) <= MAX_LINE_EXAMPLES) {
          insert.run(runRowId, line, reason, raw.slice(0, MAX_RAW_CHARACTERS));
        }
      }
    },
  };
}
