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
  /** Oldest first. */
  usesOf(entryId: number): EntryUse[];
}

export function createEntryUses({ db }: Pick<LedgerCore, "db">): EntryUses {
  const selectEntries = db.prepare<[number], EntryRow>(
    `SELECT e.id, e.batch_id AS batchId, e.page_id AS pageId, e.wire_url AS wireUrl, p.url, e.license_type AS licenseType,
            e.license_cuid AS licenseCuid, e.times, e.unit_micros AS unitMicros, e.currency
     FROM usage_entry e JOIN page p ON p.id = e.page_id WHERE e.batch_id = ? ORDER BY e.position`,
  );
  const selectUses = db.prepare<[number], EntryUse>(
    "SELECT id, site_id AS siteId, run_id AS runId, times, unit_micros AS unitMicros, currency, billed, budget_at AS budgetAt FROM use WHERE entry_id = ? ORDER BY id",
  );
  return {
    entriesOf: (batchId) => selectEntries.all(batchId),
    usesOf: (entryId) => selectUses.all(entryId),
  };
}
