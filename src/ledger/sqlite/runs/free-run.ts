import { whatBecomes } from "../../../run/what-becomes.ts";
import type { Answered, Asked, Tx } from "../operation.ts";
import { assignRun } from "./assign-run.ts";
import { listUnfinishedRuns } from "./unfinished-runs.ts";

/**
 * Reads and writes: run, batch, frontier, purchase, balances, in one transaction. The run is `running` and assigned to the caller afterwards, so
 * one whose probes are killed is an unfinished run like any other, left as it was before. Idempotent: again, nothing is left to release.
 */
export function freeRun(tx: Tx, { runId, asker, ...worker }: Asked<"freeRun">): Answered<"freeRun"> {
  const run = listUnfinishedRuns(tx, worker).find((unfinished) => unfinished.runId === runId);
  const what = run === undefined ? "left" : whatBecomes(run, asker).what;
  if (run === undefined || (what !== "freed" && what !== "cleared")) {
    return null;
  }
  const isOver = what === "cleared" && !run.isTakenOver;
  const detail = "its process died before the request was sent";
  const reason = isOver ? "run_ended" : "decided_anew";
  const released = assignRun(tx, { ...worker, id: run.id, isAlive: false, endedBy: null, reason, detail });
  const state = isOver ? "cancelled" : run.state === "failed" ? "failed" : "interrupted";
  return { state, released, started: run.started };
}
