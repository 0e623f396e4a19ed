import { LicetError } from "../../../errors.ts";
import type { Ledger } from "../../ledger.ts";
import { createFrontierDrop } from "../frontier-drop.ts";
import { createHighWater } from "../high-water.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createPurchaseDoubt } from "../purchase-doubt.ts";
import { createPurchaseRelease } from "../purchase-release.ts";
import { createRunRows } from "../run-rows.ts";

/** Purchases released in one transaction. */
const CHUNK_PURCHASES = 500;

/**
 * Reads and writes: run, batch, purchase, balances, site, frontier. Idempotent: the first state stays, and what an earlier call left
 * of the frontier is dropped. Purchases are released before the state is written, so a crash in between leaves a run that goes on.
 */
export function createEndRun(core: LedgerCore): Ledger["endRun"] {
  const rows = createRunRows(core.db);
  const closePurchases = createPurchaseClosing(core);
  const dropFrontier = createFrontierDrop(core);
  const highWater = createHighWater(core.db);
  const update = core.db.prepare<[string, string | null, number, number]>(
    "UPDATE run SET state = ?, reason = ?, ended_at = ? WHERE id = ? AND state = 'running'",
  );
  const deleteBatches = core.db.prepare<[number]>("DELETE FROM batch WHERE run_id = ?");
  const clearSites = core.db.prepare<[number]>(
    "UPDATE run_site SET waiting_pages = 0, filling_batch_id = NULL WHERE run_id = ?",
  );

  const selectBatch = core.db.prepare<[number]>("SELECT 1 FROM batch WHERE run_id = ? LIMIT 1");

  return async ({ runId: name, state, reason, now, drained = false }) => {
    const run = await core.read(() => rows.find(name));
    if (run === null) {
      throw new LicetError("RUN_NOT_FOUND", `no run is called ${name}`, { details: { runId: name } });
    }
    if (state === "interrupted" || state === "failed") {
      await core.write(() => update.run(state, reason, now, run.id));
      return true;
    }
    const end = (): "ended" | "open" | "purchases left" => {
      if (rows.find(name)?.state !== "running") {
        return "ended";
      }
      if (drained && selectBatch.get(run.id) !== undefined) {
        return "open";
      }
      // With the last of the purchases in one transaction: another process of the run may decide until the run is over.
      if (closePurchases(run.id, now) === CHUNK_PURCHASES) {
        return "purchases left";
      }
      update.run(state, reason, now, run.id);
      highWater.move(run.id);
      deleteBatches.run(run.id);
      clearSites.run(run.id);
      return "ended";
    };
    let outcome = await core.write(end);
    while (outcome === "purchases left") {
      outcome = await core.write(end);
    }
    if (outcome === "open") {
      return false;
    }
    const ended = await core.read(() => rows.find(name));
    // Another process may have interrupted it first: then it can be resumed, and needs its frontier.
    if (ended?.state !== "interrupted" && ended?.state !== "failed") {
      await dropFrontier(run.id);
    }
    return true;
  };
}

/**
 * Ends up to CHUNK_PURCHASES of a run's open purchases: what was not sent is released. What was sent and never answered is in doubt,
 * since nobody will ask for it again; an answer that comes after all still settles it. @returns how many
 */
function createPurchaseClosing(core: LedgerCore): (runId: number, now: number) => number {
  const release = createPurchaseRelease(core);
  const hold = createPurchaseDoubt(core);
  const select = core.db.prepare<[number, number], { id: number; isSent: number }>(
    `SELECT p.id, p.state = 'started' AND p.intent <> 'indexing' AS isSent
     FROM batch b JOIN purchase p ON p.batch_id = b.id AND p.ended_at IS NULL
     WHERE b.run_id = ? AND b.stage = 'acquire' LIMIT ?`,
  );
  return (runId, now) => {
    const open = select.all(runId, CHUNK_PURCHASES);
    for (const { id: purchaseId, isSent } of open) {
      if (isSent === 1) {
        hold({ purchaseId, reason: "unanswered", detail: "the run ended before an answer came", now });
      } else {
        release({ purchaseId, reason: "run_ended", detail: "the run ended before the request was sent", now });
      }
    }
    return open.length;
  };
}
