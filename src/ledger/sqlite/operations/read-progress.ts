import type { Ledger } from "../../ledger.ts";
import type { RunProgress } from "../../run-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Reads: the run's batches, all of which are work still to do. */
export function createReadProgress(core: LedgerCore): Ledger["readProgress"] {
  const select = core.db.prepare<{ runId: string; now: number }, RunProgress>(
    `SELECT count(*) AS openBatches, coalesce(sum(state = 'leased' AND ready_at > @now), 0) AS leasedBatches,
       min(CASE WHEN ready_at > @now THEN ready_at END) AS nextReadyAt
     FROM batch WHERE run_id = (SELECT id FROM run WHERE name = @runId)`,
  );
  return (query) => core.read(() => select.get(query) as RunProgress);
}
