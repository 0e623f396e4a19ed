import type { Connection } from "../engine/connection.ts";

/** Whether a page of a site was settled in a run with content in it: until then only a few of its pages are under way (design § Runs). */
export function createProof(db: Connection): (runId: number, siteId: number) => boolean {
  const select = db
    .prepare<[number, number], number>(
      `SELECT coalesce(sum(iif(kind = 'settled', count, -count)), 0) > 0 FROM tally
       WHERE run_id = ? AND site_id = ? AND kind IN ('settled', 'empty')`,
    )
    .pluck();
  return (runId, siteId) => select.get(runId, siteId) === 1;
}
