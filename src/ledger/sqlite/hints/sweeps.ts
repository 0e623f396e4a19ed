import type { SweepState } from "../../hint-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

const NEVER: SweepState = {
  coveredUntil: null,
  completedAt: null,
  sweeps: 0,
  records: 0,
  admitted: 0,
  failures: 0,
  lastError: null,
};

/** Reads: the row of sweep. */
export function createReadSweep(core: LedgerCore): Ledger["readSweep"] {
  const select = core.db.prepare<[], SweepState>(
    `SELECT covered_until AS coveredUntil, completed_at AS completedAt, sweeps, records, admitted, failures, last_error AS lastError
     FROM sweep WHERE id = 1`,
  );
  return () => core.read(() => select.get() ?? NEVER);
}

/** Writes: the row of sweep. Each call counts a reading: what it admitted is idempotent by itself. */
export function createRecordSweep(core: LedgerCore): Ledger["recordSweep"] {
  const upsert = core.db.prepare(
    `INSERT INTO sweep (id, covered_until, completed_at, sweeps, records, admitted)
     VALUES (1, @coveredUntil, @now, 1, @records, @admitted)
     ON CONFLICT (id) DO UPDATE SET covered_until = max(coalesce(covered_until, 0), excluded.covered_until),
       completed_at = excluded.completed_at, sweeps = sweeps + 1, records = records + excluded.records,
       admitted = admitted + excluded.admitted, failures = 0, last_error = NULL`,
  );
  return (reading) =>
    core.write(() => {
      upsert.run(reading);
    });
}

/** Writes: the row of sweep. */
export function createRecordSweepFailure(core: LedgerCore): Ledger["recordSweepFailure"] {
  const upsert = core.db.prepare<[string]>(
    `INSERT INTO sweep (id, failures, last_error) VALUES (1, 1, ?)
     ON CONFLICT (id) DO UPDATE SET failures = failures + 1, last_error = excluded.last_error`,
  );
  return ({ error }) =>
    core.write(() => {
      upsert.run(error);
    });
}
