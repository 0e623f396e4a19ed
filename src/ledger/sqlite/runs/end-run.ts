/** The end of a run that is over: it has no batch and no process any more. Called within a write, when nothing is reserved. */
import { LicetError } from "../../../errors.ts";
import type { Intent } from "../../../policy/rule.ts";
import type { EndedBy, RunState } from "../../../run/run-state.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";

/** Purchases released in one transaction. */
const CHUNK_PURCHASES = 500;

/** What a run has at its end: no process, and the purchase after which none is its own. Who ended it stays while it was only probed since. */
const ENDED =
  "state = ?, reason = ?, ended_by = iif(ended_by = 'nobody', ?, ended_by), ended_at = ?, process = NULL, alive_until = NULL, purchases_until = (SELECT coalesce(max(id), 0) FROM purchase)";

/**
 * Reads and writes: run, batch, purchase, balances, site, frontier. Idempotent: the first state stays, and what an earlier call left
 * of the frontier is dropped. Purchases are released before the state is written, so a crash in between leaves a run that goes on.
 */
export function createEndRun(parts: LedgerParts): Ledger["endRun"] {
  const { runRows, closeRun, pauseRun, dropFrontier, highWater } = parts;
  const closePurchases = createPurchaseClosing(parts);
  const selectBatch = parts.db.prepare<[number]>("SELECT 1 FROM batch WHERE run_id = ? LIMIT 1");

  return async ({ runId: name, state, reason, endedBy = "itself", now, drained = false, process }) => {
    const run = await parts.read(() => runRows.find(name));
    if (run === null) {
      throw new LicetError("RUN_NOT_FOUND", `there is no run ${name}`, { details: { runId: name } });
    }
    const { id } = run;
    const end = (): "ended" | "open" | "purchases left" => {
      const current = runRows.find(name);
      const isTheirs = process !== undefined && current?.process !== null && current?.process !== process;
      if (current?.state !== "running" || isTheirs) {
        return "ended";
      }
      if (drained && selectBatch.get(id) !== undefined) {
        return "open";
      }
      if ((state === "interrupted" || state === "failed") && current.takenOverBy === null) {
        pauseRun({ id, state, reason, endedBy, now });
        return "ended";
      }
      // With the last of the purchases in one transaction: another process of the run may decide until the run is over.
      if (closePurchases(id, now) === CHUNK_PURCHASES) {
        return "purchases left";
      }
      if (state !== "cancelled" && current.takenOverBy === null) {
        highWater.move(id, now);
      }
      closeRun({ id, state, reason, endedBy, now });
      return "ended";
    };
    let outcome = await parts.write(end);
    while (outcome === "purchases left") {
      outcome = await parts.write(end);
    }
    if (outcome === "open") {
      return false;
    }
    // Another process may have interrupted or resumed the run: then it goes on, and keeps its frontier. So does a webhook run, which the
    // next notification of its day may reopen (leftovers.ts).
    if (run.kind !== "webhook") {
      await dropFrontier(id);
    }
    return true;
  };
}

/** Ends a run that may go on: it holds no money, and its pages wait for whoever resumes it. */
export function createRunPause(
  parts: LedgerCore & Pick<LedgerParts, "takeBack" | "waitingPages" | "endHints">,
): (pausing: RunClosing) => void {
  const { takeBack, waitingPages, endHints } = parts;
  const freeLeases = parts.db.prepare<[number, number]>(
    "UPDATE batch SET state = 'ready', ready_at = min(ready_at, ?) WHERE run_id = ? AND state = 'leased'",
  );
  const update = parts.db.prepare<[string, string | null, EndedBy, number, number]>(
    `UPDATE run SET ${ENDED} WHERE id = ?`,
  );
  return ({ id, state, reason, endedBy, now }) => {
    const detail = "the run was ended before the request was sent; its page waits";
    freeLeases.run(now, id);
    takeBack({ runRowId: id, siteId: null, reason: "decided_anew", detail, now });
    waitingPages.requeue(id);
    endHints(id, now);
    update.run(state, reason, endedBy, now, id);
  };
}

/**
 * Ends up to CHUNK_PURCHASES of a run's open purchases: what was not sent is released. What was sent and never answered is in doubt,
 * since nobody will ask for it again; an answer that comes after all still settles it. @returns how many
 */
function createPurchaseClosing(parts: LedgerParts): (runRowId: number, now: number) => number {
  const { releasePurchase, holdInDoubt } = parts;
  const select = parts.db.prepare<[number, number], { id: number; state: "reserved" | "started"; intent: Intent }>(
    `SELECT p.id, p.state, p.intent FROM batch b JOIN purchase p ON p.batch_id = b.id AND p.ended_at IS NULL
     WHERE b.run_id = ? AND b.stage = 'acquire' LIMIT ?`,
  );
  return (runRowId, now) => {
    const open = select.all(runRowId, CHUNK_PURCHASES);
    for (const { id: purchaseId, state, intent } of open) {
      const detail = "the run ended before an answer came";
      if (state === "reserved") {
        releasePurchase({ purchaseId, reason: "run_ended", detail: "the run ended before the request was sent", now });
      } else if (intent === "indexing") {
        // It costs nothing, so there is nothing to doubt.
        releasePurchase({ purchaseId, reason: "content_refused", detail, now });
      } else {
        holdInDoubt({ purchaseId, reason: "unanswered", detail, now });
      }
    }
    return open.length;
  };
}

export interface RunClosing {
  readonly id: number;
  readonly state: RunState;
  readonly reason: string | null;
  readonly endedBy: EndedBy;
  readonly now: number;
}

export function createRunClosing(
  core: LedgerCore & Pick<LedgerParts, "endHints" | "candidateRows">,
): (closing: RunClosing) => void {
  const update = core.db.prepare<[string, string | null, EndedBy, number, number]>(
    `UPDATE run SET ${ENDED} WHERE id = ? AND state = 'running'`,
  );
  // The frontier of a webhook run stays. Of any other run it is dropped next.
  const keepsFrontier = core.db.prepare<[number]>("SELECT 1 FROM run WHERE id = ? AND kind = 'webhook'");
  const leaveUnquoted = core.db.prepare<[number]>(
    "UPDATE frontier SET batch_id = NULL WHERE run_id = ? AND batch_id IS NOT NULL",
  );
  const deleteBatches = core.db.prepare<[number]>("DELETE FROM batch WHERE run_id = ?");
  const clearSites = core.db.prepare<[number]>(
    "UPDATE run_site SET waiting_pages = 0, filling_batch_id = NULL WHERE run_id = ?",
  );
  return ({ id, state, reason, endedBy, now }) => {
    update.run(state, reason, endedBy, now, id);
    core.endHints(id, now);
    if (keepsFrontier.get(id) !== undefined) {
      leaveUnquoted.run(id);
      core.candidateRows.drop(id, null);
    }
    deleteBatches.run(id);
    clearSites.run(id);
  };
}
