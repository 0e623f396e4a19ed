import { isWorthQuoting } from "../../../catalog/freshness.ts";
import { findExpiryAction } from "../../../rights/rights.ts";
import type { Ledger } from "../../ledger.ts";
import { STORED_ASKED_AT, type StoredColumns, storedFor } from "../frontier/catalog-pages.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createEndingPages } from "./ending-pages.ts";
import { createRenewals } from "./renewals.ts";

/**
 * Reads: batch, page, purchase, frontier. A page that is gone from the catalog is not renewed: a run buys what the catalog has. Nor is a
 * page listed that the run has seen.
 */
export function createListRenewals(parts: LedgerParts): Ledger["listRenewals"] {
  const { db, batches } = parts;
  const readEnding = createEndingPages(db);
  const isSeen = db
    .prepare<[number, number], number>("SELECT 1 FROM frontier WHERE run_id = ? AND page_id = ?")
    .pluck();
  return ({ leaseId, policies, now, after, limit }) =>
    parts.read(() => {
      const batch = batches.find(leaseId, "walk");
      if (batch === null) {
        return { stale: true, pages: [], next: null };
      }
      const { runRowId, siteId } = batch;
      const { pages, next } = readEnding({ siteId, policies, until: now, after, limit });
      const due = pages.filter(
        (page) =>
          page.goneAt === null &&
          findExpiryAction(page, policies) === "relicense" &&
          isSeen.get(runRowId, page.pageId) === undefined,
      );
      return { stale: false, pages: due.map(({ pageId, url }) => ({ pageId, url })), next };
    });
}

interface StoredPage extends StoredColumns {
  readonly lastMod: string | null;
  readonly lastModAt: number | null;
}

/**
 * Reads: batch, page, purchase. Writes: frontier, batch, run_site, tally, in one transaction. Idempotent by page: the walk counts a page
 * that it meets again as repeated.
 */
export function createAdmitRenewals(parts: LedgerParts): Ledger["admitRenewals"] {
  const { db, batches, quoteFilling, counters } = parts;
  const renewals = createRenewals(db);
  const selectPage = db.prepare<[number, number], StoredPage>(
    `SELECT last_mod AS lastMod, last_mod_at AS lastModAt, held_at AS storedAt, held_intent AS storedIntent,
       held_last_mod AS storedLastMod, held_last_mod_at AS storedLastModAt, held_dated_as AS storedDatedAs, ${STORED_ASKED_AT}
     FROM page p WHERE id = ? AND site_id = ?`,
  );
  const insert = db.prepare<{ runRowId: number; pageId: number; batchId: number }>(
    "INSERT INTO frontier (run_id, page_id, state, batch_id) VALUES (@runRowId, @pageId, 'waiting', @batchId)",
  );
  const isSeen = db
    .prepare<[number, number], number>("SELECT 1 FROM frontier WHERE run_id = ? AND page_id = ?")
    .pluck();
  const setBatchSize = db.prepare<[number, number, number]>(
    "UPDATE run_site SET quote_batch_size = ? WHERE run_id = ? AND site_id = ?",
  );
  return ({ leaseId, pageIds, policies, now, refresh, intent, quoteBatchSize }) =>
    parts.write(() => {
      const batch = batches.find(leaseId, "walk");
      if (batch === null) {
        return { stale: true, admitted: 0 };
      }
      const { runRowId, siteId } = batch;
      setBatchSize.run(quoteBatchSize, runRowId, siteId);
      const withRenewal = renewals.at(policies, now);
      const quotes = quoteFilling.resume({ runRowId, siteId, batchSize: quoteBatchSize });
      let admitted = 0;
      for (const pageId of pageIds) {
        const page = selectPage.get(pageId, siteId);
        const stored = page === undefined ? null : withRenewal(pageId, storedFor(intent, page));
        const isDue = page !== undefined && stored?.isRenewalDue === true && isWorthQuoting(page, stored, refresh, now);
        if (isDue && isSeen.get(runRowId, pageId) === undefined) {
          insert.run({ runRowId, pageId, batchId: quotes.place() });
          admitted += 1;
        }
      }
      quotes.done();
      counters.add({ runRowId, siteId, kind: "seen" }, admitted);
      return { stale: false, admitted };
    });
}
