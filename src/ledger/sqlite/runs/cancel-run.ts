import { LicetError } from "../../../errors.ts";
import { isLimited } from "../../../run/run-state.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";

const NOTHING_LEFT = { ended: true, released: 0, started: 0 } as const;

/**
 * Reads and writes: run, batch, frontier, purchase, balances, in one transaction. The run is `running` and assigned to the caller afterwards,
 * so one whose cancelling is killed is an unfinished run like any other. Idempotent: again, nothing is left to release.
 */
export function createCancelRun(parts: LedgerParts): Ledger["cancelRun"] {
  const { runRows, listUnfinished, assignRun } = parts;
  const endLimited = parts.db.prepare<[number]>(
    "UPDATE run SET state = 'cancelled', reason = 'it was cancelled', ended_by = 'person' WHERE id = ?",
  );
  return ({ runId, ...worker }) =>
    parts.write(() => {
      const row = runRows.find(runId);
      if (row === null || row.kind === "planning") {
        throw refuse(runId, `there is no run ${runId}`);
      }
      if (row.state === "cancelled") {
        return NOTHING_LEFT;
      }
      if (row.state === "completed" || row.takenOverBy !== null) {
        const why =
          row.takenOverBy === null ? "is complete" : `was taken over by ${parts.runs.nameOf(row.takenOverBy)}`;
        throw refuse(runId, `run ${runId} ${why}: there is nothing to cancel`);
      }
      if (isLimited(row.state)) {
        endLimited.run(row.id);
        return NOTHING_LEFT;
      }
      const found = listUnfinished(worker).find(({ id }) => id === row.id);
      const isAlive = found?.isAlive === true && found.process !== worker.process;
      const detail = "the run was cancelled before the request was sent";
      const ending = { id: row.id, isAlive, endedBy: "person", reason: "run_ended", detail } as const;
      const released = assignRun({ ...worker, ...ending });
      return { ended: false, released, started: found?.started ?? 0 };
    });
}

function refuse(runId: string, message: string): LicetError {
  return new LicetError("RUN_NOT_FOUND", message, { hint: "`licet status` lists the runs.", details: { runId } });
}
