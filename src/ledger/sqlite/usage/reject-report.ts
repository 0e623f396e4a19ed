import { assertBug } from "../../../errors.ts";
import type { Ledger } from "../../ledger.ts";
import type { UsageEntry } from "../../usage-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import type { ReportPlace, UsageOutbox } from "./outbox.ts";

/** Characters kept of the gateway's reason. */
const MAX_DETAIL_CHARS = 500;

type Rejection = Parameters<Ledger["rejectReport"]>[0];

/**
 * Closes a report that the gateway definitely refused. Its uses go, frozen anew with bytes and ids of their own, into two
 * reports of half the entries in the same transaction; those of a single entry are recorded as rejected with an open item,
 * never dropped, and what is reserved for them stays reserved. Idempotent: a report that was rejected before gives the same
 * answer again. `stale` when the fence is, or when the report has another answer. `open` when another attempt than the refused one may
 * have been taken: nothing is changed then, whatever the status (promise 5).
 */
export function createRejectReport(parts: LedgerParts): Ledger["rejectReport"] {
  const { db, write, outbox } = parts;
  const isolate = createIsolate(parts);
  const bisect = createBisect(parts, outbox);
  const close = db.prepare<[string, number, number]>(
    "UPDATE usage_batch SET state = 'rejected', detail = ?, closed_at = ?, unknown_attempts = 0, unknown_since = NULL WHERE id = ?",
  );
  const countUnknown = db.prepare<[number], number>("SELECT unknown_attempts FROM usage_batch WHERE id = ?").pluck();
  return (rejection) =>
    write(() => {
      const { reportId, now } = rejection;
      const state = outbox.stateOf(reportId);
      if (!outbox.holdsFence(rejection.fence) || (state !== "frozen" && state !== "rejected")) {
        return "stale";
      }
      if ((countUnknown.get(reportId) ?? 0) > 1) {
        return "open";
      }
      const entries = outbox.entriesOf(reportId);
      const [first, ...rest] = entries;
      if (state === "frozen") {
        close.run(describe(rejection), now, reportId);
        if (first !== undefined && rest.length === 0) {
          isolate(first, rejection);
        } else {
          bisect(entries, rejection);
        }
      }
      return rest.length === 0 ? "isolated" : "bisected";
    });
}

function describe({ status, detail }: Rejection): string {
  return `${status}: ${detail}`.slice(0, MAX_DETAIL_CHARS);
}

function createIsolate(parts: LedgerParts): (entry: UsageEntry, rejection: Rejection) => void {
  const { db, counters, openItems, entryUses } = parts;
  const rejectUses = db.prepare<[number]>("UPDATE use SET state = 'rejected' WHERE entry_id = ?");
  return ({ entryId, timesUsed }, rejection) => {
    const { reportId, now } = rejection;
    const detail = `the gateway refuses the report of ${timesUsed} uses (${describe(rejection)})`;
    const url = entryUses.pageUrlOf(entryId);
    openItems.open({ kind: "rejected_entry", about: { reportId, entryId }, detail, url, count: 1, at: now });
    for (const { runRowId, siteId, count } of entryUses.countsOf(reportId)) {
      if (runRowId !== null) {
        counters.add({ runRowId, siteId, kind: "use_rejected" }, count);
      }
    }
    rejectUses.run(entryId);
  };
}

function createBisect(
  core: LedgerCore,
  outbox: UsageOutbox,
): (entries: readonly UsageEntry[], rejection: Rejection) => void {
  const enterHalf = createEnterHalf(core);
  return (entries, { reportId, idempotencyIds, licenseIdField, reportPermissions, now }) => {
    const middle = Math.ceil(entries.length / 2);
    for (const [index, idempotencyId] of idempotencyIds.entries()) {
      const from = index === 0 ? 0 : middle;
      const half = entries.slice(from, index === 0 ? middle : entries.length);
      outbox.freeze({
        idempotencyId,
        parentId: reportId,
        entries: half.map(({ entryId, ...entry }) => ({
          sourceId: entryId,
          permissions: outbox.permissionsOf(entryId),
          ...entry,
        })),
        form: { licenseIdField, reportPermissions },
        now,
        enter: (place) => enterHalf({ parentId: reportId, from, to: from + half.length }, place),
      });
    }
  };
}

/** Positions of a report that is split, the last excluded. */
interface Half {
  readonly parentId: number;
  readonly from: number;
  readonly to: number;
}

/** Copies a half's entries as they are, and moves the uses from each entry to its copy. */
function createEnterHalf({ db }: LedgerCore): (half: Half, place: ReportPlace) => number {
  const copyEntries = db.prepare<number[]>(
    `INSERT INTO usage_entry (id, batch_id, position, page_id, wire_url, license_type, license_cuid, times, unit_micros, currency)
     SELECT id + ?, ?, position - ?, page_id, wire_url, license_type, license_cuid, times, unit_micros, currency
     FROM usage_entry WHERE batch_id = ? AND position >= ? AND position < ? ORDER BY position`,
  );
  const moveUses = db.prepare<number[]>(
    `UPDATE use SET entry_id = entry_id + ? WHERE state = 'batched'
     AND entry_id IN (SELECT id FROM usage_entry WHERE batch_id = ? AND position >= ? AND position < ?)`,
  );
  return ({ parentId, from, to }, { reportId, entryShift }) => {
    const { changes } = copyEntries.run(entryShift, reportId, from, parentId, from, to);
    const moved = moveUses.run(entryShift, parentId, from, to).changes;
    assertBug(moved >= changes, `usage report ${reportId} keeps ${changes} entries for ${moved} uses`);
    return changes;
  };
}

/**
 * Uses that were refused alone wait to be reported again, in new reports under new ids; their open items are closed. The refused
 * reports stay as they are, without uses. Only what is recorded as rejected moves, which was never taken: a report that may have been
 * is never rejected (promise 5). Idempotent: a second call finds nothing.
 */
export function createRetryRejected(parts: LedgerParts): Ledger["retryRejected"] {
  const { db, write, counters, openItems, entryUses } = parts;
  const selectBatches = db
    .prepare<[], number>(
      `SELECT DISTINCT e.batch_id FROM usage_batch b CROSS JOIN usage_entry e ON e.batch_id = b.id CROSS JOIN use u ON u.entry_id = e.id
       WHERE b.state = 'rejected' AND u.state = 'rejected'`,
    )
    .pluck();
  const free = db.prepare<[number]>(
    `UPDATE use SET state = 'pending', entry_id = NULL
     WHERE entry_id IN (SELECT id FROM usage_entry WHERE batch_id = ?) AND state = 'rejected'`,
  );
  return ({ now }) =>
    write(() => {
      let uses = 0;
      for (const reportId of selectBatches.all()) {
        for (const { runRowId, siteId, count } of entryUses.countsOf(reportId)) {
          if (runRowId !== null) {
            counters.add({ runRowId, siteId, kind: "use_rejected" }, -count);
          }
        }
        uses += free.run(reportId).changes;
        openItems.closeOf({ kind: "rejected_entry", reportId, now });
      }
      return { uses };
    });
}
