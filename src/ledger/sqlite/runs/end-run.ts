/** The end of a run that is over: it has no batch and no process any more. Called within a write, when nothing is reserved. */

import { LicetError } from "../../../errors.ts";
import type { Intent } from "../../../policy/rule.ts";
import type { EndedBy, RunState } from "../../../run/run-state.ts";
import { recordAct } from "../acts/record-act.ts";
import { dropCandidates } from "../candidates/candidate-rows.ts";
import { dropChunk, dropFrontier } from "../frontier/frontier-drop.ts";
import { requeuePages } from "../frontier/waiting-pages.ts";
import { endHints } from "../hints/end-hints.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { Asked, Tx } from "../operation.ts";
import { holdInDoubt, moveToReleased } from "../purchases/purchase-rows.ts";
import { takeBack } from "../purchases/take-back.ts";
import { freePages, isOpenOfBatch } from "./batches.ts";
import { moveHighWater } from "./high-water.ts";
import { findRun } from "./run-rows.ts";

/** Purchases released in one transaction. */
const CHUNK_PURCHASES = 500;

/** What a run has at its end: no process, and the purchase after which none is its own. Who ended it stays while it was only probed since. */
const ENDED =
  "state = ?, reason = ?, ended_by = iif(ended_by = 'nobody', ?, ended_by), ended_at = ?, process = NULL, alive_until = NULL, purchases_until = (SELECT coalesce(max(id), 0) FROM purchase)";

/**
 * Reads and writes: run, act, batch, purchase, balances, site, frontier. Idempotent: the first state stays, and what an earlier call left
 * of the frontier is dropped. Purchases are released before the state is written, so a crash in between leaves a run that goes on.
 */
export async function endRun(core: LedgerCore, asked: Asked<"endRun">): Promise<boolean> {
  const { runId } = asked;
  const run = await core.read(findRun, runId);
  if (run === null) {
    throw new LicetError("RUN_NOT_FOUND", `there is no run ${runId}`, { details: { runId } });
  }
  let outcome: Closing;
  do {
    outcome = await core.write(closeOnce, run.id, asked);
  } while (outcome === "purchases left");
  if (outcome === "open" || outcome === "dropped") {
    return outcome === "dropped";
  }
  // Another process may have interrupted or resumed the run: then it goes on, and keeps its frontier. So does a webhook run, which the
  // next notification of its day may reopen (leftovers.ts).
  if (run.kind !== "webhook") {
    await dropFrontier(core, run.id);
  }
  return true;
}

type Closing = "ended" | "dropped" | "open" | "purchases left";

/** Ends the run, or releases a part of its purchases. Called within a write. */
export function closeOnce(tx: Tx, id: number, asked: Asked<"endRun">): Closing {
  const { runId: name, state, reason, endedBy = "itself", who = null, now, drained = false, process } = asked;
  const current = findRun(tx, name);
  const isTheirs = process !== undefined && current?.process !== null && current?.process !== process;
  if (current?.state !== "running" || isTheirs) {
    return "ended";
  }
  if (drained && tx.has`SELECT 1 FROM batch WHERE run_id = ${id} LIMIT 1`) {
    return "open";
  }
  if ((state === "interrupted" || state === "failed") && current.successorRowId === null) {
    if (endedBy === "person" && who !== null && current.endedBy === "nobody") {
      recordAct(tx, { kind: "run_stopped", who, runId: name, now });
    }
    pauseRun(tx, { id, state, reason, endedBy, now });
    return "ended";
  }
  // With the last of the purchases in one transaction: another process of the run may decide until the run is over.
  if (closePurchases(tx, id, now) === CHUNK_PURCHASES) {
    return "purchases left";
  }
  if (state !== "cancelled" && current.successorRowId === null) {
    moveHighWater(tx, id, now);
  }
  closeRun(tx, { id, state, reason, endedBy, now });
  // Somebody waits for a fetch. It walked nothing, so its frontier says nothing of a catalog.
  return current.kind === "fetch" && dropChunk(tx, id) ? "dropped" : "ended";
}

const PAUSE = `UPDATE run SET ${ENDED} WHERE id = ?`;

/** Ends a run that may go on: it holds no money, and its pages wait for whoever resumes it. */
export function pauseRun(tx: Tx, { id, state, reason, endedBy, now }: RunClosing): void {
  const detail = "the run was ended before the request was sent; its page waits";
  tx.run`UPDATE batch SET state = 'ready', ready_at = min(ready_at, ${now}) WHERE run_id = ${id} AND state = 'leased'`;
  takeBack(tx, { runRowId: id, siteId: null, reason: "decided_anew", detail, now });
  requeuePages(tx, id);
  endHints(tx, id, now);
  tx.run(PAUSE, state, reason, endedBy, now, id);
}

/**
 * Ends up to CHUNK_PURCHASES of a run's open purchases: what was not sent is released. What was sent and never answered is in doubt,
 * since nobody will ask for it again; an answer that comes after all still settles it. @returns how many
 */
function closePurchases(tx: Tx, runRowId: number, now: number): number {
  const open = tx.all<{ id: number; state: "reserved" | "started"; intent: Intent }>(
    `SELECT p.id, p.state, p.intent FROM batch b CROSS JOIN purchase p ON ${isOpenOfBatch("p")}
     WHERE b.run_id = ? AND b.stage = 'acquire' LIMIT ?`,
    runRowId,
    CHUNK_PURCHASES,
  );
  for (const { id: purchaseId, state, intent } of open) {
    const detail = "the run ended before an answer came";
    if (state === "reserved") {
      moveToReleased(tx, { purchaseId, reason: "run_ended", detail: "the run ended before the request was sent", now });
    } else if (intent === "indexing") {
      // It costs nothing, so there is nothing to doubt.
      moveToReleased(tx, { purchaseId, reason: "content_refused", detail, now });
    } else {
      holdInDoubt(tx, { purchaseId, reason: "unanswered", detail, now });
    }
  }
  return open.length;
}

export interface RunClosing {
  readonly id: number;
  readonly state: RunState;
  readonly reason: string | null;
  readonly endedBy: EndedBy;
  readonly now: number;
}

const CLOSE = `UPDATE run SET ${ENDED} WHERE id = ? AND state = 'running'`;

// The frontier of a webhook run stays. Of any other run it is dropped next.
const KEEPS_FRONTIER = "SELECT 1 FROM run WHERE id = ? AND kind = 'webhook'";

/** Ends a run for good: no batch, no process, no candidate. A second call finds it over and leaves its state. */
export function closeRun(tx: Tx, { id, state, reason, endedBy, now }: RunClosing): void {
  tx.run(CLOSE, state, reason, endedBy, now, id);
  endHints(tx, id, now);
  freePages(tx, id, null);
  if (tx.has(KEEPS_FRONTIER, id)) {
    dropCandidates(tx, id, null);
  }
  tx.run`DELETE FROM batch WHERE run_id = ${id}`;
  tx.run`UPDATE run_site SET waiting_pages = 0, filling_batch_id = NULL WHERE run_id = ${id}`;
}
