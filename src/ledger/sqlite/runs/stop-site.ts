/**
 * Stopping sites of a run. A limit that was reached drops what would buy more and lets what is reserved be bought; a site
 * that must not be bought from any more releases that too. What was sent is always waited for. Called within a write.
 */

import { LicetError } from "../../../errors.ts";
import { SITE_STOPS, type SiteStop } from "../../run-ledger.ts";
import { dropCandidates } from "../candidates/candidate-rows.ts";
import type { Asked, Tx } from "../operation.ts";
import { takeBack } from "../purchases/take-back.ts";
import { freePages, recountWaiting } from "./batches.ts";

/** Reached limits: "stop reserving, finish what is reserved". */
export const LIMIT_STOPS: readonly SiteStop[] = ["budget_exhausted", "max_pages", "max_spend", "max_duration"];

/** What stays when a run is reopened: until somebody has looked at it. */
const LASTING_STOPS: readonly SiteStop[] = [
  "not_enabled",
  "overcharged",
  "charge_unreadable",
  "license_mismatch",
  "paused",
];

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
export function stopSites(tx: Tx, { runRowId, siteId, stop, detail, now }: SiteStopping): void {
  for (const id of siteId === null
    ? tx.values<number>`SELECT site_id FROM run_site WHERE run_id = ${runRowId} AND stop IS NULL`
    : [siteId]) {
    if (
      tx.run`UPDATE run_site SET stop = ${stop}, stop_detail = ${detail}, filling_batch_id = NULL WHERE run_id = ${runRowId} AND site_id = ${id}
      AND (stop IS NULL OR stop IN (SELECT value FROM json_each(${lighterThan(stop)})))`.changes === 0
    ) {
      continue;
    }
    freePages(tx, runRowId, id);
    tx.run`DELETE FROM batch WHERE run_id = ${runRowId} AND site_id = ${id} AND stage IN ('walk', 'quote')`;
    if (!LIMIT_STOPS.includes(stop)) {
      dropCandidates(tx, runRowId, id);
      takeBack(tx, { runRowId, siteId: id, reason: "site_stopped", detail, now });
    }
    recountWaiting(tx, runRowId, id);
  }
}

/**
 * Reads and writes: run_site, batch, frontier, purchase, balances. Idempotent: the first reason of a site stays.
 * A site that is not of the run is left alone.
 */
export function stopSite(tx: Tx, request: Asked<"stopSite">): void {
  const runRowId = tx.runs.idOf(request.runId);
  if (runRowId === null) {
    throw new LicetError("RUN_NOT_FOUND", `there is no run ${request.runId}`, {
      details: { runId: request.runId },
    });
  }
  const siteId = tx.lookups.siteId(request.host);
  stopSites(tx, { runRowId, siteId, stop: request.stop, detail: request.detail, now: request.now });
}
