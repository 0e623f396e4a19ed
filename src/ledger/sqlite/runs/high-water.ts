/**
 * A site's high-water mark moves only when a walk was complete and nothing that it found was left over, else the next incremental
 * walk would stop above pages that were never bought. Called within a write, before the run's batches are dropped.
 */

import type { DenialReason } from "../../../policy/verdict.ts";
import { TAKEN_BACK_REASONS } from "../../../purchase/purchase.ts";
import type { RunSiteSpec } from "../../run-ledger.ts";
import type { ReadTx, Tx } from "../operation.ts";
import { ANY_STAGE } from "./batches.ts";

/** Denials that say nothing of the page: it may well be bought next time. */
export const PASSING_DENIALS: readonly DenialReason[] = [
  "budget_exhausted",
  "max_pages",
  "max_spend",
  "site_stopped",
  "already_open",
  "in_doubt",
  "not_quoted",
  "quote_refused",
];

/** A page priced in another currency than the run's largest spend is left to a run without one. */
const PASSING_UNDER_MAX_SPEND: readonly DenialReason[] = ["no_budget_in_currency"];

/** For an SQL list. */
export function quoteList(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(", ");
}

// A page whose decision was taken back has been decided anew by then, or its batch is still there.
const SELECT_CLEAN = `SELECT rs.site_id AS siteId, rs.walk_newest_at AS newestAt, rs.walk_stop_below_at IS NULL AS isFull, r.started_at AS startedAt
  FROM run r JOIN run_site rs ON rs.run_id = r.id
  WHERE r.id = ? AND rs.walk_ended = 'complete' AND rs.stop IS NULL
    AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.run_id = r.id AND b.site_id = rs.site_id AND ${ANY_STAGE})
    AND NOT EXISTS (SELECT 1 FROM candidate c WHERE c.run_id = r.id AND c.site_id = rs.site_id)
    AND NOT EXISTS (SELECT 1 FROM tally t WHERE t.run_id = r.id AND t.site_id = rs.site_id AND t.count > 0
      AND (t.kind = 'in_doubt' OR (t.kind = 'released' AND t.reason NOT IN (${quoteList(TAKEN_BACK_REASONS)}))
        OR (t.kind = 'denied' AND t.reason IN (${quoteList(PASSING_DENIALS)}))
        OR (t.kind = 'denied' AND t.reason IN (${quoteList(PASSING_UNDER_MAX_SPEND)}) AND r.max_spend_currency IS NOT NULL)))`;

/** Where an incremental walk may stop; null when a full one is due. */
export function findStopBelow(
  tx: ReadTx,
  siteId: number,
  { fullWalkEveryMs, overlapMs }: RunSiteSpec,
  now: number,
): number | null {
  const { highWaterAt = null, lastFullWalkAt = null } =
    tx.get<{ highWaterAt: number | null; lastFullWalkAt: number | null }>`
      SELECT high_water_at AS highWaterAt, last_full_walk_at AS lastFullWalkAt FROM site WHERE id = ${siteId}` ?? {};
  if (lastFullWalkAt === null || highWaterAt === null || fullWalkEveryMs === null) {
    return null;
  }
  // A clock that was ahead wrote this date: it would put full walks off until then.
  if (lastFullWalkAt > now || highWaterAt > now) {
    return null;
  }
  return now - lastFullWalkAt < fullWalkEveryMs ? highWaterAt - overlapMs : null;
}

/** Moves the marks of the sites that a run left nothing over of. */
export function moveHighWater(tx: Tx, runRowId: number, now: number): void {
  for (const { siteId, newestAt, isFull, startedAt } of tx.all<{
    siteId: number;
    newestAt: number | null;
    isFull: number;
    startedAt: number;
  }>(SELECT_CLEAN, runRowId)) {
    tx.run`UPDATE site SET high_water_at = CASE WHEN high_water_at <= ${now}
        THEN coalesce(max(high_water_at, ${newestAt}), high_water_at) ELSE coalesce(${newestAt}, high_water_at) END,
      last_full_walk_at = coalesce(${isFull === 1 ? startedAt : null}, last_full_walk_at) WHERE id = ${siteId}`;
  }
}
