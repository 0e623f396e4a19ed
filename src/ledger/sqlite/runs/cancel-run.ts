import { LicetError } from "../../../errors.ts";
import { isLimited } from "../../../run/run-state.ts";
import { recordAct } from "../acts/record-act.ts";
import { dropFrontier } from "../frontier/frontier-drop.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { Answered, Asked, Tx } from "../operation.ts";
import { assignRun } from "./assign-run.ts";
import { closeRun } from "./end-run.ts";
import { findRun } from "./run-rows.ts";
import { listUnfinishedRuns } from "./unfinished-runs.ts";

/**
 * Reads and writes: run, act, batch, frontier, purchase, balances, in one transaction; then the frontier of a run that is over. A run that has
 * nothing started is cancelled at once, whoever works on it. Else it is `running` and assigned to the caller, as stopped by a person, until what
 * it started is probed and this is called again: one whose cancelling is killed meanwhile is a stopped run like any other. Idempotent.
 */
export async function cancelRun(core: LedgerCore, asked: Asked<"cancelRun">): Promise<Answered<"cancelRun">> {
  const { id, keepsFrontier, ...cancelled } = await core.write(cancel, asked);
  if (cancelled.ended && !keepsFrontier) {
    await dropFrontier(core, id);
  }
  return cancelled;
}

interface Cancelled extends Answered<"cancelRun"> {
  readonly id: number;
  readonly keepsFrontier: boolean;
}

function cancel(tx: Tx, { runId, who, ...worker }: Asked<"cancelRun">): Cancelled {
  const row = findRun(tx, runId);
  if (row === null || row.kind === "planning") {
    throw refuse(runId, `there is no run ${runId}`);
  }
  // The frontier of a webhook run stays until its day is over (leftovers.ts).
  const over = { id: row.id, keepsFrontier: row.kind === "webhook", ended: true, released: 0, started: 0 };
  if (row.state === "cancelled") {
    return over;
  }
  if (row.state === "completed" || row.successorRowId !== null) {
    const why = row.successorRowId === null ? "is complete" : `was taken over by ${tx.runs.nameOf(row.successorRowId)}`;
    throw refuse(runId, `run ${runId} ${why}: there is nothing to cancel`);
  }
  const recordCancel = () => recordAct(tx, { kind: "run_cancelled", who, runId, now: worker.now });
  if (isLimited(row.state)) {
    recordCancel();
    tx.run`UPDATE run SET state = 'cancelled', reason = 'it was cancelled', ended_by = 'person' WHERE id = ${row.id}`;
    return over;
  }
  const found = listUnfinishedRuns(tx, worker).find((run) => run.id === row.id);
  const isAlive = found?.isAlive === true && found.process !== worker.process;
  const detail = "the run was cancelled before the request was sent";
  const ending = { id: row.id, isAlive, endedBy: "person", reason: "run_ended", detail } as const;
  const released = assignRun(tx, { ...worker, ...ending });
  const started = found?.started ?? 0;
  if (started > 0 && row.endedBy !== "person") {
    // The request is to cancel it: that act has its name.
    const stopper = who === undefined ? undefined : { by: who.by, reason: who.reason };
    recordAct(tx, { kind: "run_stopped", who: stopper, runId, now: worker.now });
  }
  if (started === 0) {
    recordCancel();
    closeRun(tx, { id: row.id, state: "cancelled", reason: "it was cancelled", endedBy: "person", now: worker.now });
  }
  return { ...over, ended: started === 0, released, started };
}

function refuse(runId: string, message: string): LicetError {
  return new LicetError("RUN_NOT_FOUND", message, { hint: "`licet status` lists the runs.", details: { runId } });
}
