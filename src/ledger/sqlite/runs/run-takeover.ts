/** Taking over what an unfinished run left, for a run that begins. Called within a write. */
import type { RunWorker, TakenOver } from "../../run-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createRunClosing } from "./run-closing.ts";
import { createSeizeRun } from "./seize-run.ts";
import type { UnfinishedRow } from "./unfinished-runs.ts";

/** What is started stays with the run, whose purchases and budgets it is: it is over when that has been probed (`endRun`). */
export function createRunTakeover(
  core: LedgerCore,
): (run: UnfinishedRow, heirId: number, worker: RunWorker) => TakenOver {
  const seize = createSeizeRun(core);
  const close = createRunClosing(core);
  const setHeir = core.db.prepare<[number, number]>("UPDATE run SET taken_over_by = ? WHERE id = ?");
  return ({ id, runId, state, started }, heirId, worker) => {
    const heir = core.runs.nameOf(heirId);
    const detail = `run ${heir} took over before the request was sent`;
    const released = seize({ ...worker, id, isAlive: false, reason: "taken_over", detail });
    setHeir.run(heirId, id);
    if (started === 0) {
      const reason = `run ${heir} took over what it left`;
      close({ id, state: state === "running" ? "interrupted" : state, reason, now: worker.now });
    }
    return { runId, state, released, started };
  };
}
