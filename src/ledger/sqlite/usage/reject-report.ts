import { assertBug } from "../../../errors.ts";
import type { UsageEntry } from "../../usage-ledger.ts";
import type { Answered, Asked, Tx } from "../operation.ts";
import { closeItemsOf, openItem } from "./open-items.ts";
import type { ReportPlace } from "./outbox.ts";
import { holdsFence, readEntries, readPermissions, writeReport } from "./outbox.ts";
import { spellOut } from "./plain-reports.ts";
import { moveToRejected, readReportState } from "./report-rows.ts";
import { readPageUrl } from "./report-uses.ts";
import { enterCopies, freeRejectedUses, rejectUses } from "./use-rows.ts";

/** Characters kept of the gateway's reason. */
const MAX_DETAIL_CHARS = 500;

type Rejection = Asked<"rejectReport">;

/**
 * Closes a report that the gateway definitely refused. Its uses go, frozen anew with bytes and ids of their own, into two
 * reports of half the entries in the same transaction; those of a single entry are recorded as rejected with an open item,
 * never dropped, and what is reserved for them stays reserved. Idempotent: a report that was rejected before gives the same
 * answer again. `stale` when the fence is, or when the report has another answer. `open` when another attempt than the refused one may
 * have been taken: nothing is changed then, whatever the status (promise 5).
 */
export function rejectReport(tx: Tx, rejection: Asked<"rejectReport">): Answered<"rejectReport"> {
  const { reportId, now } = rejection;
  const state = readReportState(tx, reportId);
  if (!holdsFence(tx, rejection.fence) || (state !== "frozen" && state !== "rejected")) {
    return "stale";
  }
  if ((tx.value<number>`SELECT unknown_attempts FROM usage_batch WHERE id = ${reportId}` ?? 0) > 1) {
    return "open";
  }
  const entries = readEntries(tx, reportId);
  const [first, ...rest] = entries;
  if (state === "frozen") {
    spellOut(tx, reportId);
    moveToRejected(tx, reportId, describe(rejection), now);
    if (first !== undefined && rest.length === 0) {
      isolate(tx, first, rejection);
    } else {
      bisect(tx, entries, rejection);
    }
  }
  return rest.length === 0 ? "isolated" : "bisected";
}

function describe({ status, detail }: Rejection): string {
  return `${status}: ${detail}`.slice(0, MAX_DETAIL_CHARS);
}

function isolate(tx: Tx, { entryId, timesUsed }: UsageEntry, rejection: Rejection): void {
  const { reportId, now } = rejection;
  const detail = `the gateway refuses the report of ${timesUsed} uses (${describe(rejection)})`;
  const url = readPageUrl(tx, entryId);
  openItem(tx, { kind: "rejected_entry", about: { reportId, entryId }, detail, url, count: 1, at: now });
  rejectUses(tx, reportId);
}

function bisect(
  tx: Tx,
  entries: readonly UsageEntry[],
  { reportId, idempotencyIds, licenseIdField, reportPermissions, now }: Rejection,
): void {
  const middle = Math.ceil(entries.length / 2);
  for (const [index, idempotencyId] of idempotencyIds.entries()) {
    const from = index === 0 ? 0 : middle;
    const half = entries.slice(from, index === 0 ? middle : entries.length);
    writeReport(tx, {
      idempotencyId,
      parentId: reportId,
      entries: half.map(({ entryId, ...entry }) => ({
        sourceId: entryId,
        permissions: readPermissions(tx, entryId),
        ...entry,
      })),
      form: { licenseIdField, reportPermissions },
      now,
      isPlain: false,
      enter: (place) => enterHalf(tx, half, from, place),
    });
  }
}

/** Copies a half's entries as they are, and moves the uses from each entry to its copy. @param from the position of the first */
function enterHalf(tx: Tx, half: readonly UsageEntry[], from: number, { reportId, entryShift }: ReportPlace): number {
  const entryIds = { first: half[0]?.entryId ?? 0, last: half.at(-1)?.entryId ?? 0 };
  const { changes } =
    tx.run`INSERT INTO usage_entry (id, batch_id, position, page_id, wire_url, license_type, license_cuid, times, unit_micros, currency)
     SELECT id + ${entryShift}, ${reportId}, position - ${from}, page_id, wire_url, license_type, license_cuid, times, unit_micros, currency
     FROM usage_entry WHERE id BETWEEN ${entryIds.first} AND ${entryIds.last} ORDER BY id`;
  const moved = enterCopies(tx, entryIds, entryShift);
  assertBug(moved >= changes, `usage report ${reportId} keeps ${changes} entries for ${moved} uses`);
  return changes;
}

const SELECT_BATCHES = `SELECT DISTINCT b.id FROM usage_batch b CROSS JOIN use u ON u.entry_id BETWEEN b.first_entry_id AND b.last_entry_id
  WHERE b.state = 'rejected' AND u.state = 'rejected'`;

/**
 * Uses that were refused alone wait to be reported again, in new reports under new ids; their open items are closed. The refused
 * reports stay as they are, without uses. Only what is recorded as rejected moves, which was never taken: a report that may have been
 * is never rejected (promise 5). Idempotent: a second call finds nothing.
 */
export function retryRejected(tx: Tx, { now }: Asked<"retryRejected">): Answered<"retryRejected"> {
  let uses = 0;
  for (const reportId of tx.values<number>(SELECT_BATCHES)) {
    uses += freeRejectedUses(tx, reportId);
    closeItemsOf(tx, { kind: "rejected_entry", reportId, now });
  }
  return { uses };
}
