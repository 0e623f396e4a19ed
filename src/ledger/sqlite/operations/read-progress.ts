import type { Ledger } from "../../ledger.ts";
import type { RunProgress } from "../../run-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

type ProgressRow = Omit<RunProgress, "isRunning"> & { readonly isRunning: number };

/** Reads: the run's state, and its batches, all of which are work still to do. */
export function createReadProgress(core: LedgerCore): Ledger["readProgress"] {
  const select = core.db.prepare<{ runId: string; now: number }, ProgressRow>(
    `SELECT EXISTS (SELECT 1 FROM run WHERE name = @runId AND state = 'running') AS isRunning, count(*) AS openBatches, coalesce(sum(state = 'leased' AND ready_at > @now), 0) AS leasedBatches,
       min(CASE WHEN ready_at > @now THEN ready_at END) AS nextReadyAt
     FROM batch WHERE run_id = (SELECT id FROM run WHERE name = @runId)`,
  );
  return (query) =>
    core.read(() => {
      const row = select.get(query) as ProgressRow;
      return { ...row, isRunning: row.isRunning === 1 };
    });
}
