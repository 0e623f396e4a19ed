import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Writes: until when a run's process is taken to be alive. False when the run was ended, or is in the hands of another process. */
export function createRenewRun(core: LedgerCore): Ledger["renewRun"] {
  const update = core.db.prepare<{ runId: string; process: string; aliveUntil: number }>(
    `UPDATE run SET process = @process, alive_until = @aliveUntil
     WHERE name = @runId AND state = 'running' AND (process IS NULL OR process = @process)`,
  );
  return (renewal) => core.write(() => update.run({ ...renewal }).changes === 1);
}
