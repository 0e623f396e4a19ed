/** The rows of candidates. Called within a write. */
import { costOf } from "../../../budget/set-aside.ts";
import { ageOf, type BestFirst, rankPage } from "../../../policy/rank-page.ts";
import type { RankedDecision } from "../../candidate-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

export interface CandidateRows {
  /** Keeps an allowed page as a candidate, or gives it its rank again. */
  put(row: {
    readonly runRowId: number;
    readonly siteId: number;
    readonly order: BestFirst;
    readonly decision: RankedDecision;
  }): void;
  /** After its page was decided. */
  remove(runRowId: number, pageId: number): void;
  /** The pages wait again, to be quoted again. @param siteId null: of every site */
  drop(runRowId: number, siteId: number | null): void;
}

interface PageRow {
  readonly url: string;
  readonly lastModAt: number | null;
  readonly line: number | null;
}

export function createCandidateRows(core: LedgerCore): CandidateRows {
  const { db } = core;
  const selectPage = db.prepare<[number, number], PageRow>(
    `SELECT p.url, p.last_mod_at AS lastModAt, l.line FROM page p
     LEFT JOIN listed_page l ON l.run_id = ? AND l.page_id = p.id WHERE p.id = ?`,
  );
  const upsert = db.prepare(
    `INSERT INTO candidate (run_id, page_id, site_id, listing_id, currency, rank, cost_micros, age, url, value) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (run_id, page_id) DO UPDATE SET listing_id = excluded.listing_id, currency = excluded.currency, rank = excluded.rank,
       cost_micros = excluded.cost_micros, age = excluded.age, value = excluded.value`,
  );
  const remove = db.prepare<[number, number]>("DELETE FROM candidate WHERE run_id = ? AND page_id = ?");
  const setWaiting = db.prepare<{ runRowId: number; siteId: number | null }>(
    `UPDATE frontier SET state = 'waiting' WHERE run_id = @runRowId AND state = 'quoted' AND (@siteId IS NULL OR page_id IN
       (SELECT page_id FROM candidate WHERE run_id = @runRowId AND site_id = @siteId))`,
  );
  const clear = db.prepare<{ runRowId: number; siteId: number | null }>(
    "DELETE FROM candidate WHERE run_id = @runRowId AND (@siteId IS NULL OR site_id = @siteId)",
  );
  return {
    put({ runRowId, siteId, order, decision: { pageId, listing, verdict, value } }) {
      if (verdict.kind === "denied") {
        return;
      }
      const { url, lastModAt, line } = selectPage.get(runRowId, pageId) as PageRow;
      const cost = costOf(verdict);
      const costMicros = cost?.micros ?? null;
      const rank = rankPage(order, { costMicros, value, lastModAt, line });
      // What costs nothing is in no currency, except where the order is by date: there it has no precedence.
      const isFree = costMicros === 0 && order !== "newest";
      const listingId = listing === null ? null : core.lookups.listingId(listing);
      const currency = isFree ? null : (cost?.currency ?? null);
      upsert.run(runRowId, pageId, siteId, listingId, currency, rank, costMicros ?? 0, ageOf(lastModAt), url, value);
    },
    remove(runRowId, pageId) {
      remove.run(runRowId, pageId);
    },
    drop(runRowId, siteId) {
      setWaiting.run({ runRowId, siteId });
      clear.run({ runRowId, siteId });
    },
  };
}
