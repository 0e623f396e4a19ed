/** The rows of candidates. Called within a write. */

import { ageOf, type BestFirst, rankPage } from "../../../policy/rank-page.ts";
import type { RankedDecision } from "../../candidate-ledger.ts";
import type { Asked, Tx } from "../operation.ts";

interface PageRow {
  readonly url: string;
  readonly lastModAt: number | null;
  readonly line: number | null;
}

/** Keeps an allowed page as a candidate, or gives it its rank again. */
export function putCandidate(
  tx: Tx,
  { runRowId, siteId }: { readonly runRowId: number; readonly siteId: number },
  order: BestFirst,
  { pageId, listing, verdict, value }: RankedDecision,
): void {
  if (verdict.kind === "denied") {
    return;
  }
  const { url, lastModAt, line } = tx.get<PageRow>`SELECT p.url, p.last_mod_at AS lastModAt, l.line FROM page p
    LEFT JOIN listed_page l ON l.run_id = ${runRowId} AND l.page_id = p.id WHERE p.id = ${pageId}` as PageRow;
  const cost = verdict.price?.cost ?? null;
  const costMicros = cost?.micros ?? null;
  const rank = rankPage(order, { costMicros, value, lastModAt, line });
  // What costs nothing is in no currency, except where the order is by date: there it has no precedence.
  const isFree = costMicros === 0 && order !== "newest";
  const listingId = listing === null ? null : tx.lookups.listingId(listing);
  const currency = isFree ? null : (cost?.currency ?? null);
  tx.run`INSERT INTO candidate (run_id, page_id, site_id, listing_id, currency, rank, cost_micros, age, url, value)
    VALUES (${runRowId}, ${pageId}, ${siteId}, ${listingId}, ${currency}, ${rank}, ${costMicros ?? 0}, ${ageOf(lastModAt)}, ${url}, ${value})
    ON CONFLICT (run_id, page_id) DO UPDATE SET listing_id = excluded.listing_id, currency = excluded.currency, rank = excluded.rank,
    cost_micros = excluded.cost_micros, age = excluded.age, value = excluded.value`;
}

/** After its page was decided. */
export function removeCandidate(tx: Tx, runRowId: number, pageId: number): void {
  tx.run`DELETE FROM candidate WHERE run_id = ${runRowId} AND page_id = ${pageId}`;
}

/** The pages wait again, to be quoted again. @param siteId null: of every site */
export function dropCandidates(tx: Tx, runRowId: number, siteId: number | null): void {
  tx.run`UPDATE frontier SET state = 'waiting' WHERE run_id = ${runRowId} AND state = 'quoted' AND (${siteId} IS NULL OR page_id IN
    (SELECT page_id FROM candidate WHERE run_id = ${runRowId} AND site_id = ${siteId}))`;
  tx.run`DELETE FROM candidate WHERE run_id = ${runRowId} AND (${siteId} IS NULL OR site_id = ${siteId})`;
}

/** Reads: run, candidate, page, listed_page. Writes: candidate. A second call writes the same; what was decided is left alone. */
export function rankCandidates(tx: Tx, { runId, order, decisions }: Asked<"rankCandidates">): void {
  const runRowId = tx.runs.idOf(runId);
  for (const decision of runRowId === null ? [] : decisions) {
    const siteId = tx.value<number>`SELECT site_id FROM candidate WHERE run_id = ${runRowId as number} AND page_id = ${decision.pageId}`;
    if (siteId !== undefined) {
      putCandidate(tx, { runRowId: runRowId as number, siteId }, order, decision);
    }
  }
}
