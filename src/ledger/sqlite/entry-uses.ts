/** The entries of a usage batch and the uses under each, in order. */
import type { LedgerCore } from "./ledger-core.ts";

export interface EntryRow {
  readonly id: number;
  readonly batchId: number;
  readonly pageId: number;
  /** As it stands in the body. */
  readonly wireUrl: string;
  /** Canonical. */
  readonly url: string;
  readonly licenseType: string;
  readonly licenseCuid: string | null;
  readonly times: number;
  readonly unitMicros: number;
  readonly currency: string;
}

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

export interface EntryUses {
  entriesOf(batchId: number): EntryRow[];
  /** By entry, oldest first. One query: a batch has hundreds of entries, most of them with one use. */
  usesOf(batchId: number): ReadonlyMap<number, readonly EntryUse[]>;
}

export function createEntryUses({ db }: Pick<LedgerCore, "db">): EntryUses {
  const selectEntries = db.prepare<[number], EntryRow>(
    `SELECT e.id, e.batch_id AS batchId, e.page_id AS pageId, e.wire_url AS wireUrl, p.url, e.license_type AS licenseType,
            e.license_cuid AS licenseCuid, e.times, e.unit_micros AS unitMicros, e.currency
     FROM usage_entry e JOIN page p ON p.id = e.page_id WHERE e.batch_id = ? ORDER BY e.position`,
  );
  const selectUses = db.prepare<[number], EntryUse>(
    `SELECT u.id, u.entry_id AS entryId, u.site_id AS siteId, u.run_id AS runId, u.times, u.unit_micros AS unitMicros, u.currency,
            u.billed, u.budget_at AS budgetAt
     FROM usage_entry e CROSS JOIN use u ON u.entry_id = e.id WHERE e.batch_id = ? ORDER BY e.position, u.id`,
  );
  return {
    entriesOf: (batchId) => selectEntries.all(batchId),
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
