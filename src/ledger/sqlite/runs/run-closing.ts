/** The end of a run that is over: it has no batch and nobody's hands on it any more. Called within a write, when it holds nothing. */
import type { RunState } from "../../run-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

export interface RunClosing {
  readonly id: number;
  readonly state: RunState;
  readonly reason: string | null;
  readonly now: number;
}

export function createRunClosing(core: LedgerCore): (closing: RunClosing) => void {
  const update = core.db.prepare<[string, string | null, number, number]>(
    "UPDATE run SET state = ?, reason = ?, ended_at = ?, process = NULL, alive_until = NULL WHERE id = ? AND state = 'running'",
  );
  const deleteBatches = core.db.prepare<[number]>("DELETE FROM batch WHERE run_id = ?");
  const clearSites = core.db.prepare<[number]>(
    "UPDATE run_site SET waiting_pages = 0, filling_batch_id = NULL WHERE run_id = ?",
  );
  return ({ id, state, reason, now }) => {
    update.run(state, reason, now, id);
    deleteBatches.run(id);
    clearSites.run(id);
  };
}
