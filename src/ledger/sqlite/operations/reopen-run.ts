import { LicetError } from "../../../errors.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { Ledger } from "../../ledger.ts";
import { createBatches } from "../batches.ts";
import { PASSING_DENIALS, quoteList } from "../high-water.ts";
import { createLastingStops } from "../lasting-stops.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createRunRows } from "../run-rows.ts";

const RESUMABLE = ["running", "interrupted", "failed"];

/**
 * Reads and writes: run, run_site, batch, frontier, denial, tally, in one transaction. Idempotent. Pages that a limit denied, or whose
 * reservation was released with their site, wait again where the site's stop is lifted.
 */
export function createReopenRun(core: LedgerCore): Ledger["reopenRun"] {
  const rows = createRunRows(core.db);
  const lift = createStopLifting(core);
  const requeue = createRequeue(core);
  const update = core.db.prepare<[number | null, number | null, string | null, number | null, number]>(
    `UPDATE run SET state = 'running', reason = NULL, ended_at = NULL, max_pages = coalesce(?, max_pages),
       max_spend_micros = coalesce(?, max_spend_micros), max_spend_currency = coalesce(?, max_spend_currency),
       deadline_at = coalesce(?, deadline_at) WHERE id = ?`,
  );
  // Backoffs too: whoever resumes a run wants it to go on now, and a clock that was set back would make a short one long.
  const freeLeases = core.db.prepare<[number, number]>(
    "UPDATE batch SET state = 'ready', ready_at = min(ready_at, ?) WHERE run_id = ? AND state IN ('leased', 'ready')",
  );

  return ({ runId: name, now, maxPages, maxSpend, deadlineAt }) =>
    core.write(() => {
      const run = rows.find(name);
      if (run === null || run.kind === "plan" || !RESUMABLE.includes(run.state)) {
        const why = run === null ? `no run is called ${name}` : `run ${name} is over: ${run.state}`;
        throw new LicetError("RUN_NOT_FOUND", why, {
          hint: "`licet status` lists the runs; one that is over is followed by a new one.",
          details: { runId: name },
        });
      }
      update.run(maxPages, maxSpend?.micros ?? null, maxSpend?.currency ?? null, deadlineAt, run.id);
      freeLeases.run(now, run.id);
      for (const siteId of lift(run.id, now)) {
        requeue(run.id, siteId);
      }
      return rows.readSpec(name);
    });
}

/** Lifts the stops that may no longer hold, and the currencies that may have money again. @returns the sites that go on */
function createStopLifting(core: LedgerCore): (runId: number, now: number) => number[] {
  const update = core.db
    .prepare<[number], number>(
      `UPDATE run_site SET stop = NULL, stop_detail = NULL, exhausted = '{}'
       WHERE run_id = ? AND (stop IS NOT NULL OR exhausted <> '{}') AND stop IS NOT 'not_enabled' RETURNING site_id`,
    )
    .pluck();
  const selectSites = core.db.prepare<[number], number>("SELECT site_id FROM run_site WHERE run_id = ?").pluck();
  const lasting = createLastingStops(core);
  return (runId, now) => {
    const lifted = update.all(runId);
    // Again, and on sites that were stopped by another run since.
    const kept = new Set(selectSites.all(runId).filter((siteId) => lasting.apply({ runId, siteId, now }) !== null));
    return lifted.filter((siteId) => !kept.has(siteId));
  };
}

/** Gives a site its walk and its undecided pages back. */
function createRequeue(core: LedgerCore): (runId: number, siteId: number) => void {
  const batches = createBatches(core.db);
  const selectSite = core.db.prepare<[number, number], { isWalking: number; batchSize: number }>(
    `SELECT walk_ended IS NULL AND NOT EXISTS
       (SELECT 1 FROM batch b WHERE b.run_id = run_site.run_id AND b.site_id = run_site.site_id AND b.stage = 'walk') AS isWalking,
       quote_batch_size AS batchSize
     FROM run_site WHERE run_id = ? AND site_id = ?`,
  );
  const unsettle = createUndoing(core);
  const selectWaiting = core.db
    .prepare<[number, number], number>(
      `SELECT f.page_id FROM frontier f JOIN page p ON p.id = f.page_id
       WHERE f.run_id = ? AND p.site_id = ? AND f.state = 'waiting' AND f.batch_id IS NULL ORDER BY f.page_id`,
    )
    .pluck();
  const place = core.db.prepare<[number, number, number]>(
    "UPDATE frontier SET batch_id = ? WHERE run_id = ? AND page_id = ?",
  );
  return (runId, siteId) => {
    const site = selectSite.get(runId, siteId);
    if (site === undefined) {
      return;
    }
    if (site.isWalking === 1) {
      batches.add({ runId, siteId, stage: "walk", size: 0 });
    }
    unsettle(runId, siteId);
    const pageIds = selectWaiting.all(runId, siteId);
    for (let start = 0; start < pageIds.length; start += site.batchSize) {
      const chunk = pageIds.slice(start, start + site.batchSize);
      const batchId = batches.add({ runId, siteId, stage: "quote", size: chunk.length });
      for (const pageId of chunk) {
        place.run(batchId, runId, pageId);
      }
    }
  };
}

/** Makes pages wait again that were decided only by a limit that stood, or whose reservation went with the site's stop. */
function createUndoing(core: LedgerCore): (runId: number, siteId: number) => void {
  const selectDenied = core.db.prepare<[number, number], { pageId: number; reason: DenialReason }>(
    `SELECT d.page_id AS pageId, d.reason FROM frontier f JOIN page p ON p.id = f.page_id
       JOIN denial d ON d.page_id = f.page_id AND d.run_id = f.run_id
     WHERE f.run_id = ? AND p.site_id = ? AND f.state = 'decided' AND d.reason IN (${quoteList(PASSING_DENIALS)})`,
  );
  const selectReleased = core.db
    .prepare<{ runId: number; siteId: number }, number>(
      `SELECT u.page_id FROM purchase u JOIN frontier f ON f.run_id = u.run_id AND f.page_id = u.page_id AND f.state = 'decided'
       WHERE u.id > (SELECT purchases_after FROM run WHERE id = @runId) AND u.run_id = @runId AND u.site_id = @siteId
         AND u.state = 'released' AND u.reason = 'site_stopped'
         AND u.id = (SELECT max(id) FROM purchase l WHERE l.page_id = u.page_id)`,
    )
    .pluck();
  const removeDenial = core.db.prepare<[number, number]>("DELETE FROM denial WHERE run_id = ? AND page_id = ?");
  const setWaiting = core.db.prepare<[number, number]>(
    "UPDATE frontier SET state = 'waiting' WHERE run_id = ? AND page_id = ?",
  );
  return (runId, siteId) => {
    for (const { pageId, reason } of selectDenied.all(runId, siteId)) {
      removeDenial.run(runId, pageId);
      core.tallies.add({ runId, siteId, kind: "denied", reason }, -1);
      setWaiting.run(runId, pageId);
    }
    for (const pageId of selectReleased.all({ runId, siteId })) {
      setWaiting.run(runId, pageId);
    }
  };
}
