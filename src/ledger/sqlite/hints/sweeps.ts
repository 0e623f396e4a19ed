import type { SweepState } from "../../hint-ledger.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";

const NEVER: SweepState = {
  coveredUntil: null,
  completedAt: null,
  sweeps: 0,
  records: 0,
  admitted: 0,
  failures: 0,
  lastError: null,
};

const SELECT_SWEEP = `SELECT covered_until AS coveredUntil, completed_at AS completedAt, sweeps, records, admitted, failures, last_error AS lastError
  FROM sweep WHERE id = 1`;

/** Reads: the row of sweep. */
export function readSweep(tx: ReadTx): Answered<"readSweep"> {
  return tx.get<SweepState>(SELECT_SWEEP) ?? NEVER;
}

/** Writes: the row of sweep. Each call counts a reading: what it admitted is idempotent by itself. */
export function recordSweep(tx: Tx, reading: Asked<"recordSweep">): void {
  tx.run(
    `INSERT INTO sweep (id, covered_until, completed_at, sweeps, records, admitted)
     VALUES (1, @coveredUntil, @now, 1, @records, @admitted)
     ON CONFLICT (id) DO UPDATE SET covered_until = max(coalesce(covered_until, 0), excluded.covered_until),
       completed_at = excluded.completed_at, sweeps = sweeps + 1, records = records + excluded.records,
       admitted = admitted + excluded.admitted, failures = 0, last_error = NULL`,
    reading,
  );
}

/** Writes: the row of sweep. Each call counts a failure. */
export function recordSweepFailure(tx: Tx, { error }: Asked<"recordSweepFailure">): void {
  tx.run`INSERT INTO sweep (id, failures, last_error) VALUES (1, 1, ${error})
    ON CONFLICT (id) DO UPDATE SET failures = failures + 1, last_error = excluded.last_error`;
}
