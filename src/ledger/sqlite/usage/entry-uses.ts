/** The uses under the entries of a usage batch, as an answer needs them. */
import type { LedgerCore } from "../ledger-core.ts";

export interface EntryUse {
  readonly id: number;
  readonly entryId: number;
  readonly siteId: number;
  readonly runId: number | null;
  readonly times: number;
  readonly unitMicros: number;
  readonly currency: string;
  /** 1 when it is charged on the report. */
  readonly billed: number;
  readonly budgetAt: number;
}

/** The uses of a batch that name the same run and site. */
export interface UseCount {
  readonly runId: number | null;
  readonly siteId: number;
  readonly count: number;
  /** Of these, those that are charged on the report. */
  readonly billedCount: number;
}

export interface EntryUses {
  /** Canonical URL of an entry's page. */
  pageUrlOf(entryId: number): string;
  /** What most batches need to know of their uses: who counts them, and that none is billed. */
  countsOf(batchId: number): UseCount[];
  /** By entry, oldest first. One query: a batch has hundreds of entries, most of them with one use. */
  usesOf(batchId: number): ReadonlyMap<number, readonly EntryUse[]>;
}

// CROSS JOIN keeps the order of the tables: the entries of the batch lead to their uses.
const USES_OF_BATCH = "usage_entry e CROSS JOIN use u ON u.entry_id = e.id WHERE e.batch_id = ?";

export function createEntryUses({ db }: Pick<LedgerCore, "db">): EntryUses {
  const selectPageUrl = db
    .prepare<[number], string>("SELECT p.url FROM usage_entry e JOIN page p ON p.id = e.page_id WHERE e.id = ?")
    .pluck();
  const selectCounts = db.prepare<[number], UseCount>(
    `SELECT u.run_id AS runId, u.site_id AS siteId, count(*) AS count, sum(u.billed) AS billedCount
     FROM ${USES_OF_BATCH} GROUP BY u.run_id, u.site_id`,
  );
  const selectUses = db.prepare<[number], EntryUse>(
    `SELECT u.id, u.entry_id AS entryId, u.site_id AS siteId, u.run_id AS runId, u.times, u.unit_micros AS unitMicros, u.currency,
            u.billed, u.budget_at AS budgetAt
     FROM ${USES_OF_BATCH} ORDER BY e.position, u.id`,
  );
  return {
    pageUrlOf: (entryId) => selectPageUrl.get(entryId) as string,
    countsOf: (batchId) => selectCounts.all(batchId),
    usesOf(batchId) {
      const uses = new Map<number, EntryUse[]>();
      for (const use of selectUses.all(batchId)) {
        const own = uses.get(use.entryId);
        if (own === undefined) {
          uses.set(use.entryId, [use]);
        } else {
          own.push(use);
        }
      }
      return uses;
    },
  };
}
