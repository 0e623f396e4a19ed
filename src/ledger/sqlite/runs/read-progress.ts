import type { Ledger } from "../../ledger.ts";
import { BATCH_STAGES, type RunProgress } from "../../run-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

type ProgressRow = Omit<RunProgress, "isRunning"> & { readonly isRunning: number };
type ProgressQuery = {
  readonly runId: string;
  readonly now: number;
  readonly stages: string;
  readonly process: string | null;
};

/** Reads: the run's state, and its batches, all of which are work still to do. */
export function createReadProgress(core: LedgerCore): Ledger["readProgress"] {
  const select = core.db.prepare<ProgressQuery, ProgressRow>(
    `SELECT EXISTS (SELECT 1 FROM run WHERE name = @runId AND state = 'running' AND (@process IS NULL OR process IS NULL OR process = @process)) AS isRunning,
       count(*) AS openBatches, coalesce(sum(state = 'leased' AND ready_at > @now), 0) AS leasedBatches,
       min(CASE WHEN ready_at > @now THEN ready_at END) AS nextReadyAt
     FROM batch WHERE run_id = (SELECT id FROM run WHERE name = @runId) AND instr(@stages, stage) > 0`,
  );
  return ({ runId, now, stages = BATCH_STAGES, process = null }) =>
    core.read(() => {
      const row = select.get({ runId, now, stages: stages.join(" "), process }) as ProgressRow;
      return { ...row, isRunning: row.isRunning === 1 };
    });
}
