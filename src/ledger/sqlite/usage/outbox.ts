/**
 * The outbox of usage reports: what its operations share. Bytes are made here once and read back as they were (promise 5).
 */

import { createHash } from "node:crypto";
import { assertBug, LicetError } from "../../../errors.ts";
import { toMicros } from "../../../money/micros.ts";
import type { License } from "../../../rates/license.ts";
import { buildUsageBody, type ReportedEntry, type ReportForm } from "../../../usage/usage-batch.ts";
import type { FrozenReport, UsageEntry } from "../../usage-ledger.ts";
import type { Answered, ReadTx, Tx } from "../operation.ts";
import { SELECT_PLAIN_ENTRIES } from "./plain-reports.ts";
import { IS_ENTRY_OF_REPORT } from "./report-ranges.ts";
import { insertReport } from "./report-rows.ts";

/** One line of a report to be frozen. */
export interface EntryDraft extends Omit<UsageEntry, "entryId"> {
  /** The row it comes from: its oldest use, or its entry in the report that is split. Ascending within a report. */
  readonly sourceId: number;
  /** Of its license, as the ledger keeps them: a JSON array of names, or `null` where nobody said them. */
  readonly permissions: string;
}

export interface ReportDraft {
  readonly idempotencyId: string;
  readonly parentId: number | null;
  /** At least one. */
  readonly entries: readonly EntryDraft[];
  readonly form: ReportForm;
  readonly now: number;
  /** It is plain: its entries need no rows (plain-reports.ts). */
  readonly isPlain: boolean;
  /** Writes the rows of the entries, if they need any, and moves their uses into them. @returns how many entries there are */
  readonly enter: (place: ReportPlace) => number;
}

/** Where the rows of a report go. */
export interface ReportPlace {
  readonly reportId: number;
  /**
   * An entry's id is its `sourceId` plus this: so one statement can write all entries, and another point all their uses
   * to them, without a look at each id. The ids of a report follow those of all reports before it; they may have gaps.
   */
  readonly entryShift: number;
}

interface BatchRow extends Omit<FrozenReport, "reportId" | "entries"> {
  readonly bodyHash: Buffer;
}

/** Rows of a report are many and short-lived: as tuples they cost half of what objects do. */
type EntryRow = readonly [
  entryId: number,
  url: string,
  timesUsed: number,
  licenseType: string,
  licenseCuid: string | null,
  unitMicros: number,
  currency: string,
];

/** True while no other flusher has taken the lease and it was not given back. */
export function holdsFence(tx: ReadTx, fence: number): boolean {
  return tx.value<number>("SELECT fence FROM flusher WHERE id = 1 AND expires_at IS NOT NULL") === fence;
}

// The last report has the last entries, whether they have rows or not.
const SELECT_NEXT_ENTRY = `SELECT 1 + max(coalesce((SELECT last_entry_id FROM usage_batch ORDER BY id DESC LIMIT 1), 0),
  coalesce((SELECT max(id) FROM usage_entry), 0))`;

/** Writes a report with its bytes; its members are the draft's own to write. */
export function writeReport(tx: Tx, draft: ReportDraft): FrozenReport {
  const { idempotencyId, parentId, entries: drafts, form, now, isPlain, enter } = draft;
  const entryShift = (tx.value<number>(SELECT_NEXT_ENTRY) as number) - (drafts[0]?.sourceId ?? 0);
  const entries = drafts.map(
    ({ sourceId, permissions: _, ...entry }): UsageEntry => ({ entryId: sourceId + entryShift, ...entry }),
  );
  const { licenseIdField, reportPermissions = false } = form;
  const lines = reportPermissions ? drafts.map(withPermissions) : entries;
  const body = buildUsageBody({ idempotencyId, entries: lines, licenseIdField });
  const [first, last] = [entries[0], entries.at(-1)];
  assertBug(first !== undefined && last !== undefined, "a usage report has entries");
  const entryIds = { first: first.entryId, last: last.entryId };
  const firstUseId = isPlain ? (drafts[0]?.sourceId ?? null) : null;
  const bodyHash = hashBody(body);
  const reportId = insertReport(tx, { idempotencyId, body, bodyHash, parentId, entryIds, firstUseId, now });
  const written = enter({ reportId, entryShift });
  assertBug(
    written === entries.length,
    `usage report ${reportId} reports ${entries.length} entries, ${written} are kept`,
  );
  return { reportId, idempotencyId, body, attempts: 0, firstAttemptAt: null, unknownAttempts: 0, entries };
}

function withPermissions({ permissions, ...entry }: EntryDraft): ReportedEntry {
  return { ...entry, licensePermissions: JSON.parse(permissions) as License["permissions"] };
}

// The ids are in the order of the positions.
const SELECT_ENTRIES = `SELECT e.id, e.wire_url, e.times, e.license_type, e.license_cuid, e.unit_micros, e.currency
  FROM usage_batch b CROSS JOIN usage_entry e ON ${IS_ENTRY_OF_REPORT} WHERE b.id = @reportId
  UNION ALL ${SELECT_PLAIN_ENTRIES} ORDER BY 1`;

/** In order. */
export function readEntries(tx: ReadTx, reportId: number): UsageEntry[] {
  return tx
    .tuples<EntryRow>(SELECT_ENTRIES, { reportId })
    .map(([entryId, url, timesUsed, licenseType, licenseCuid, unitMicros, currency]) => {
      const expectedUnitMicros = toMicros(unitMicros);
      return { entryId, url, timesUsed, licenseType, licenseCuid, expectedUnitMicros, currency };
    });
}

/** Of the license of an entry's uses, as in EntryDraft: all of them have licenses with the same permissions, they were gathered so. */
export function readPermissions(tx: ReadTx, entryId: number): string {
  return (
    tx.value<string>`SELECT l.permissions FROM use u JOIN license l ON l.id = u.license_id WHERE u.entry_id = ${entryId} LIMIT 1` ??
    "null"
  );
}

/** null when there is no such report. @throws LicetError LEDGER_CORRUPT when the bytes are no longer those that were frozen */
export function readReport(tx: ReadTx, reportId: number): FrozenReport | null {
  const row = tx.get<BatchRow>`SELECT idempotency_id AS idempotencyId, body, body_hash AS bodyHash, attempts, first_attempt_at AS firstAttemptAt,
     unknown_attempts AS unknownAttempts FROM usage_batch WHERE id = ${reportId}`;
  if (row === undefined) {
    return null;
  }
  const { body, bodyHash, ...rest } = row;
  const { idempotencyId } = rest;
  if (!hashBody(body).equals(bodyHash)) {
    throw new LicetError("LEDGER_CORRUPT", `usage report ${idempotencyId} is no longer what was frozen: ${tx.path}`, {
      hint: "It is not sent. Restore the ledger from a backup, and run `licet audit` to find more damage.",
      details: { path: tx.path, batchId: reportId },
    });
  }
  return { reportId, ...rest, body: new Uint8Array(body), entries: readEntries(tx, reportId) };
}

function hashBody(body: Uint8Array): Buffer {
  return createHash("sha256").update(body).digest();
}

/**
 * What the outbox holds, from the counters: the cost does not grow with it, since a run asks twice a second. Uses in reports that need a
 * person count as in reports.
 */
export function countPendingUses(tx: ReadTx): Answered<"countPendingUses"> {
  return tx.get<
    Answered<"countPendingUses">
  >(`SELECT coalesce(sum(count) FILTER (WHERE name = 'use_pending'), 0) AS unbatched,
           coalesce(sum(count) FILTER (WHERE name = 'use_batched'), 0) AS inBatches,
           coalesce(sum(count) FILTER (WHERE name = 'use_settled'), 0) AS reported,
           (SELECT min(not_before) FROM usage_batch WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen') AS nextAttemptAt
    FROM counter WHERE name IN ('use_pending', 'use_batched', 'use_settled')`) as Answered<"countPendingUses">;
}
