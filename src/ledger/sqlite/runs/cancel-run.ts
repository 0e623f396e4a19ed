import { LicetError } from "../../../errors.ts";
import type { Ledger } from "../../ledger.ts";
import { LIMITED_STATES } from "../../run-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createRunRows } from "./run-rows.ts";
import { createSeizeRun } from "./seize-run.ts";
import { createUnfinishedRuns } from "./unfinished-runs.ts";

const NOTHING_LEFT = { ended: true, released: 0, started: 0 } as const;

/**
 * Reads and writes: run, batch, frontier, purchase, balances, in one transaction. The run is `running` in the caller's hands afterwards,
 * so one whose cancelling is killed is an unfinished run like any other. Idempotent: again, nothing is left to release.
 */
export function createCancelRun(core: LedgerCore): Ledger["cancelRun"] {
  const rows = createRunRows(core.db);
  const listUnfinished = createUnfinishedRuns(core.db);
  const seize = createSeizeRun(core);
  const endLimited = core.db.prepare<[number]>(
    "UPDATE run SET state = 'cancelled', reason = 'it was cancelled' WHERE id = ?",
  );
  return ({ runId, ...worker }) =>
    core.write(() => {
      const row = rows.find(runId);
      if (row === null || row.kind === "plan") {
        throw refuse(runId, `no run is called ${runId}`);
      }
      if (row.state === "cancelled") {
        return NOTHING_LEFT;
      }
      if (row.state === "completed" || row.takenOverBy !== null) {
        const why = row.takenOverBy === null ? "is complete" : `was taken over by ${core.runs.nameOf(row.takenOverBy)}`;
        throw refuse(runId, `run ${runId} ${why}: there is nothing to cancel`);
      }
      if ((LIMITED_STATES as readonly string[]).includes(row.state)) {
        endLimited.run(row.id);
        return NOTHING_LEFT;
      }
      const found = listUnfinished(worker).find(({ id }) => id === row.id);
      const isAlive = found?.isAlive === true && found.process !== worker.process;
      const detail = "the run was cancelled before the request was sent";
      const released = seize({ ...worker, id: row.id, isAlive, reason: "run_ended", detail });
      return { ended: false, released, started: found?.started ?? 0 };
    });
}

function refuse(runId: string, message: string): LicetError {
  return new LicetError("RUN_NOT_FOUND", message, { hint: "`licet status` lists the runs.", details: { runId } });
}
