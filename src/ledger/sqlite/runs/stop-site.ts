/**
 * Stopping sites of a run. A limit that was reached drops what would buy more and lets what is reserved be bought; a site
 * that must not be bought from any more releases that too. What was sent is always waited for. Called within a write.
 */
import { LicetError } from "../../../errors.ts";
import type { Ledger } from "../../ledger.ts";
import { SITE_STOPS, type SiteStop } from "../../run-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";

/** Reached limits: "stop reserving, finish what is reserved". */
export const LIMIT_STOPS: readonly SiteStop[] = ["budget_exhausted", "max_pages", "max_spend", "max_duration"];

/** What stays when a run is reopened: until somebody has looked at it. */
const LASTING_STOPS: readonly SiteStop[] = ["not_enabled", "overcharged", "charge_unreadable", "license_mismatch"];

export interface SiteStopping {
  readonly runRowId: number;
  /** null: every site of the run. */
  readonly siteId: number | null;
  readonly stop: SiteStop;
  readonly detail: string;
  readonly now: number;
}

/** How much a stop ends: buying more, buying at all, or buying from the site until somebody has looked at it. */
function weightOf(stop: SiteStop): number {
  return LASTING_STOPS.includes(stop) ? 2 : LIMIT_STOPS.includes(stop) ? 0 : 1;
}

/** As a JSON array: the stops that this one replaces. A limit that was reached first must not keep an overcharged site open. */
function lighterThan(stop: SiteStop): string {
  return JSON.stringify(SITE_STOPS.filter((other) => weightOf(other) < weightOf(stop)));
}

/** The first reason of a site stays, until one comes that ends more. */
export function createSiteStop(
  parts: LedgerCore & Pick<LedgerParts, "takeBack" | "candidateRows">,
): (stopping: SiteStopping) => void {
  const { db, takeBack, candidateRows } = parts;
  const selectSites = db
    .prepare<[number], number>("SELECT site_id FROM run_site WHERE run_id = ? AND stop IS NULL")
    .pluck();
  const mark = db.prepare<[SiteStop, string, number, number, string]>(
    `UPDATE run_site SET stop = ?, stop_detail = ?, filling_batch_id = NULL WHERE run_id = ? AND site_id = ?
     AND (stop IS NULL OR stop IN (SELECT value FROM json_each(?)))`,
  );
  const leaveUnquoted = db.prepare<[number, number]>(
    "UPDATE frontier SET batch_id = NULL WHERE batch_id IN (SELECT id FROM batch WHERE run_id = ? AND site_id = ? AND stage = 'quote')",
  );
  const dropBatches = db.prepare<[number, number]>(
    "DELETE FROM batch WHERE run_id = ? AND site_id = ? AND stage IN ('walk', 'quote')",
  );
  const countWaiting = db.prepare<{ runRowId: number; siteId: number }>(
    `UPDATE run_site SET waiting_pages = (SELECT coalesce(sum(size), 0) FROM batch WHERE run_id = @runRowId AND site_id = @siteId)
     WHERE run_id = @runRowId AND site_id = @siteId`,
  );

  return ({ runRowId, siteId, stop, detail, now }) => {
    for (const id of siteId === null ? selectSites.all(runRowId) : [siteId]) {
      if (mark.run(stop, detail, runRowId, id, lighterThan(stop)).changes === 0) {
        continue;
      }
      leaveUnquoted.run(runRowId, id);
      dropBatches.run(runRowId, id);
      if (!LIMIT_STOPS.includes(stop)) {
        candidateRows.drop(runRowId, id);
        takeBack({ runRowId, siteId: id, reason: "site_stopped", detail, now });
      }
      countWaiting.run({ runRowId, siteId: id });
    }
  };
}

/**
 * Reads and writes: run_site, batch, frontier, purchase, balances. Idempotent: the first reason of a site stays.
 * A site that is not of the run is left alone.
 */
export function createStopSite(parts: LedgerParts): Ledger["stopSite"] {
  const { stopSites } = parts;
  return (request) =>
    parts.write(() => {
      const runRowId = parts.runs.idOf(request.runId);
      if (runRowId === null) {
        throw new LicetError("RUN_NOT_FOUND", `there is no run ${request.runId}`, {
          details: { runId: request.runId },
        });
      }
      const siteId = parts.lookups.siteId(request.host);
      stopSites({ runRowId, siteId, stop: request.stop, detail: request.detail, now: request.now });
    });
}
