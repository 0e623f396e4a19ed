import { isWorthQuoting } from "../../../catalog/freshness.ts";
import { findExpiryAction } from "../../../rights/rights.ts";
import { STORED_ASKED_AT, type StoredColumns, storedFor } from "../frontier/catalog-pages.ts";
import { findSeen } from "../frontier/frontier-ranges.ts";
import { resumeFilling } from "../frontier/quote-filling.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import { findBatch } from "../runs/batches.ts";
import { readEndingPages } from "./ending-pages.ts";
import { markRenewals } from "./renewals.ts";

/**
 * Reads: batch, page, purchase, frontier. A page that is gone from the catalog is not renewed: a run buys what the catalog has. Nor is a
 * page listed that the run has seen.
 */
export function listRenewals(
  tx: ReadTx,
  { leaseId, policies, now, after, limit }: Asked<"listRenewals">,
): Answered<"listRenewals"> {
  const batch = findBatch(tx, leaseId, "walk");
  if (batch === null) {
    return { stale: true, pages: [], next: null };
  }
  const { runRowId, siteId } = batch;
  const { pages, next } = readEndingPages(tx, { siteId, policies, until: now, after, limit });
  const due = pages.filter(
    (page) =>
      page.goneAt === null &&
      findExpiryAction(page, policies) === "relicense" &&
      findSeen(tx, runRowId, page.pageId) === undefined,
  );
  return { stale: false, pages: due.map(({ pageId, url }) => ({ pageId, url })), next };
}

interface RenewablePage extends StoredColumns {
  readonly lastMod: string | null;
  readonly lastModAt: number | null;
}

const SELECT_PAGE = `SELECT last_mod AS lastMod, last_mod_at AS lastModAt, held_at AS storedAt, held_intent AS storedIntent,
    held_last_mod AS storedLastMod, held_last_mod_at AS storedLastModAt, held_dated_as AS storedDatedAs, ${STORED_ASKED_AT}
  FROM page p WHERE id = ? AND site_id = ?`;

/**
 * Reads: batch, page, purchase. Writes: frontier, batch, run_site, tally, in one transaction. Idempotent by page: the walk counts a page
 * that it sees again as repeated.
 */
export function admitRenewals(
  tx: Tx,
  { leaseId, pageIds, policies, now, refresh, intent, quoteBatchSize }: Asked<"admitRenewals">,
): Answered<"admitRenewals"> {
  const batch = findBatch(tx, leaseId, "walk");
  if (batch === null) {
    return { stale: true, admitted: 0 };
  }
  const { runRowId, siteId } = batch;
  tx.run`UPDATE run_site SET quote_batch_size = ${quoteBatchSize} WHERE run_id = ${runRowId} AND site_id = ${siteId}`;
  const withRenewal = markRenewals(tx, policies, now);
  const quotes = resumeFilling(tx, { runRowId, siteId, batchSize: quoteBatchSize });
  let admitted = 0;
  for (const pageId of pageIds) {
    const page = tx.get<RenewablePage>(SELECT_PAGE, pageId, siteId);
    const stored = page === undefined ? null : withRenewal(pageId, storedFor(intent, page));
    const isDue = page !== undefined && stored?.isRenewalDue === true && isWorthQuoting(page, stored, refresh, now);
    if (isDue && findSeen(tx, runRowId, pageId) === undefined) {
      tx.run`INSERT INTO frontier (run_id, page_id, state, batch_id) VALUES (${runRowId}, ${pageId}, 'waiting', ${quotes.place(pageId)})`;
      admitted += 1;
    }
  }
  quotes.done();
  tx.counters.add({ runRowId, siteId, kind: "seen" }, admitted);
  return { stale: false, admitted };
}
