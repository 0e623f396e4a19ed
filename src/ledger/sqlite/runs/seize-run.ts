/**
 * Taking a run into the hands of one process: nothing of it is in the hands of another afterwards, what was only reserved waits to be
 * decided anew, and what is started is in batches that can be leased at once. Called within a write.
 */
import type { RunWorker, TakenOver } from "../../run-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import type { TakingBack } from "../purchases/take-back.ts";
import type { UnfinishedRow } from "./unfinished-runs.ts";

export interface Seizing extends RunWorker, Pick<TakingBack, "reason" | "detail"> {
  readonly id: number;
  /** Whether another process still works on it: what that one has started, it finishes under its own leases. */
  readonly isAlive: boolean;
}

/** @returns how many reservations were released */
export function createSeizeRun(
  parts: LedgerCore & Pick<LedgerParts, "takeBack" | "waitingPages">,
): (seizing: Seizing) => number {
  const { takeBack, waitingPages } = parts;
  // Backoffs too: whoever resumes a run wants it to go on now, and a clock that was set back would make a short one long.
  const freeLeases = parts.db.prepare<{ id: number; now: number; isAlive: number }>(
    `UPDATE batch SET state = 'ready', ready_at = min(ready_at, @now)
     WHERE run_id = @id AND (state = 'ready' OR (state = 'leased' AND NOT (@isAlive AND stage = 'acquire')))`,
  );
  // A process that only finishes what a dead one left (`taken_over_by`) is not the one that the run died with.
  const died = "state = 'running' AND taken_over_by IS NULL AND NOT @isAlive";
  const begin = parts.db.prepare<{ id: number; now: number; process: string; aliveMs: number; isAlive: number }>(
    `UPDATE run SET state = 'running', reason = NULL, ended_at = NULL, process = @process, alive_until = @now + @aliveMs,
       died_at = CASE WHEN ${died} THEN coalesce(min(@now, alive_until - @aliveMs), resumed_at, started_at) ELSE died_at END,
       died_process = CASE WHEN ${died} THEN process ELSE died_process END,
       worked_ms = worked_ms + max(0, coalesce(ended_at, min(@now, alive_until - @aliveMs), started_at) - coalesce(resumed_at, started_at)),
       resumed_at = @now, purchases_until = NULL
     WHERE id = @id`,
  );
  return ({ id, now, process, aliveMs, isAlive, reason, detail }) => {
    freeLeases.run({ id, now, isAlive: isAlive ? 1 : 0 });
    begin.run({ id, now, process, aliveMs, isAlive: isAlive ? 1 : 0 });
    const released = takeBack({ runRowId: id, siteId: null, reason, detail, now });
    waitingPages.requeue(id);
    return released;
  };
}

/** Taking over what an unfinished run left, for a run that begins. Called within a write. */
/** What is started stays with the run, whose purchases and budgets it is: it is over when that has been probed (`endRun`). */
export function createRunTakeover(
  parts: LedgerParts,
): (run: UnfinishedRow, heirId: number, worker: RunWorker) => TakenOver {
  const { seizeRun, closeRun } = parts;
  const setHeir = parts.db.prepare<[number, number]>("UPDATE run SET taken_over_by = ? WHERE id = ?");
  return ({ id, runId, state, started }, heirId, worker) => {
    const heir = parts.runs.nameOf(heirId);
    const detail = `run ${heir} took over before the request was sent`;
    const released = seizeRun({ ...worker, id, isAlive: false, reason: "taken_over", detail });
    setHeir.run(heirId, id);
    if (started === 0) {
      const reason = `run ${heir} took over what it left`;
      closeRun({ id, state: state === "running" ? "interrupted" : state, reason, now: worker.now });
    }
    return { runId, state, released, started };
  };
}
