/**
 * A site's high-water mark moves only when a walk was complete and nothing that it found was left over, else the next incremental
 * walk would stop above pages that were never bought. Called within a write, before the run's batches are dropped.
 */
import type { DenialReason } from "../../policy/verdict.ts";
import type { Connection } from "./connection.ts";

/** Denials that say nothing of the page: it may well be bought next time. */
export const PASSING_DENIALS: readonly DenialReason[] = [
  "budget_exhausted",
  "max_pages",
  "max_spend",
  "site_stopped",
  "already_open",
  "in_doubt",
  "not_quoted",
];

/** For an SQL list. */
export function quoteList(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(", ");
}

export function createHighWater(db: Connection): { move(runId: number): void } {
  const selectClean = db.prepare<
    [number],
    { siteId: number; newestAt: number | null; isFull: number; startedAt: number }
  >(
    `SELECT rs.site_id AS siteId, rs.walk_newest_at AS newestAt, rs.walk_stop_below_at IS NULL AS isFull, r.started_at AS startedAt
     FROM run r JOIN run_site rs ON rs.run_id = r.id
     WHERE r.id = ? AND rs.walk_ended = 'complete' AND rs.stop IS NULL
       AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.run_id = r.id AND b.site_id = rs.site_id AND b.stage = 'quote')
       AND NOT EXISTS (SELECT 1 FROM tally t WHERE t.run_id = r.id AND t.site_id = rs.site_id AND t.count > 0
         AND (t.kind IN ('released', 'in_doubt') OR (t.kind = 'denied' AND t.reason IN (${quoteList(PASSING_DENIALS)}))))`,
  );
  const update = db.prepare<{ newestAt: number | null; fullAt: number | null; siteId: number }>(
    `UPDATE site SET high_water_at = coalesce(max(high_water_at, @newestAt), @newestAt, high_water_at),
       last_full_walk_at = coalesce(@fullAt, last_full_walk_at) WHERE id = @siteId`,
  );
  return {
    move(runId) {
      for (const { siteId, newestAt, isFull, startedAt } of selectClean.all(runId)) {
        update.run({ newestAt, fullAt: isFull === 1 ? startedAt : null, siteId });
      }
    },
  };
}
