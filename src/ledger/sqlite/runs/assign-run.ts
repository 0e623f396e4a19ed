/**
 * Assigns a run to one process. No other process works on the run afterwards. Pages that were only reserved wait for a new decision, and
 * started purchases are in batches that can be leased at once. Called within a write.
 */

import type { EndedBy } from "../../../run/run-state.ts";
import type { Becoming } from "../../../run/what-becomes.ts";
import type { RunWorker, TakenOver } from "../../run-ledger.ts";
import { requeuePages } from "../frontier/waiting-pages.ts";
import { endHints } from "../hints/end-hints.ts";
import type { Tx } from "../operation.ts";
import type { TakingBack } from "../purchases/take-back.ts";
import { takeBack } from "../purchases/take-back.ts";
import { closeRun, pauseRun } from "./end-run.ts";
import type { UnfinishedRow } from "./unfinished-runs.ts";

export interface Assignment extends RunWorker, Pick<TakingBack, "reason" | "detail"> {
  readonly id: number;
  /** Whether another process still works on it. That process finishes its started purchases under its own leases. */
  readonly isAlive: boolean;
  /** Who has ended it: `nobody` when it goes on. Null when it is only freed of what it holds: then its death is noted, or who ended it before. */
  readonly endedBy: EndedBy | null;
}

// Backoffs end too: a resumed run goes on at once, and a clock that was set back would make a short backoff long.
const FREE_LEASES = `UPDATE batch SET state = 'ready', ready_at = min(ready_at, @now)
  WHERE run_id = @id AND (state = 'ready' OR (state = 'leased' AND NOT (@isAlive AND stage = 'acquire')))`;

/** Its process is gone, and nobody has said so yet. */
const DIED = "state = 'running' AND taken_over_by IS NULL AND NOT @isAlive";

const BEGIN_RUN = `UPDATE run SET state = 'running', reason = NULL, ended_at = NULL,
    ended_by = coalesce(@endedBy, iif(ended_by = 'nobody', 'death', ended_by)), process = @process, alive_until = @now + @aliveMs,
    died_at = CASE WHEN ${DIED} THEN coalesce(min(@now, alive_until - @aliveMs), resumed_at, started_at) ELSE died_at END,
    died_process = CASE WHEN ${DIED} THEN process ELSE died_process END,
    worked_ms = worked_ms + max(0, coalesce(ended_at, min(@now, alive_until - @aliveMs), started_at) - coalesce(resumed_at, started_at)),
    resumed_at = @now, purchases_until = NULL
  WHERE id = @id`;

/** @returns how many reservations were released */
export function assignRun(tx: Tx, { id, now, process, aliveMs, isAlive, endedBy, reason, detail }: Assignment): number {
  tx.run(FREE_LEASES, { id, now, isAlive: isAlive ? 1 : 0 });
  tx.run(BEGIN_RUN, { id, now, process, aliveMs, endedBy, isAlive: isAlive ? 1 : 0 });
  const released = takeBack(tx, { runRowId: id, siteId: null, reason, detail, now });
  requeuePages(tx, id);
  return released;
}

/** What a run that begins does with an earlier one. */
export interface Takeover {
  /** `superseded`: the new run does its work. `cleared`: it is over. `freed`: it holds nothing any more, and stays for whoever goes on with it. */
  readonly what: Exclude<Becoming["what"], "goes_on" | "busy" | "left" | "removed">;
  readonly successorId: number;
  /** The caller gave it up for a new run: its limits do not go over. */
  readonly isGivenUp: boolean;
}

/**
 * Takes over an unfinished run for a run that begins. The started purchases stay with the old run and its budgets. Unless it is only freed, the
 * old run is over when they have been probed (`endRun`). Called within a write.
 */
export function takeOverRun(
  tx: Tx,
  { id, runId, state, endedBy, started }: UnfinishedRow,
  { what, successorId, isGivenUp }: Takeover,
  worker: RunWorker,
): TakenOver {
  const successor = tx.runs.nameOf(successorId);
  const detail = `run ${successor} took over before the request was sent`;
  const by = what === "superseded" ? (isGivenUp ? "person" : "run") : null;
  const released = assignRun(tx, { ...worker, id, isAlive: false, endedBy: by, reason: "taken_over", detail });
  const isResumable = what === "freed";
  const ended = { id, state: state === "running" ? "interrupted" : state, endedBy, now: worker.now } as const;
  if (isResumable) {
    if (started === 0) {
      pauseRun(tx, { ...ended, reason: `run ${successor} released what it had reserved; it can be resumed` });
    }
    return { runId, state, released, started, isResumable };
  }
  tx.run`UPDATE run SET taken_over_by = ${successorId} WHERE id = ${id} AND taken_over_by IS NULL`;
  endHints(tx, id, worker.now);
  if (started === 0) {
    closeRun(tx, { ...ended, reason: `run ${successor} took over what it left` });
  }
  return { runId, state, released, started, isResumable };
}
