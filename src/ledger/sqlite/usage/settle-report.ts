import { assertBug } from "../../../errors.ts";
import { checkReceipt, type EntryCharge, type OddityKind } from "../../../usage/check-receipt.ts";
import type { Receipt } from "../../../usage/receipt.ts";
import type { Ledger } from "../../ledger.ts";
import type { UsageEntry } from "../../usage-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { countableHeadroom } from "../money/balance-book.ts";
import type { OpenItems } from "./open-items.ts";

type Settlement = Parameters<Ledger["settleReport"]>[0];

/** The oddities of a whole answer: each kind once, with its first example and how many there are. */
type Oddities = Map<OddityKind, { readonly detail: string; readonly entryId: number; count: number }>;

/**
 * Books the gateway's answer to a report: receipts, what the billed uses come to, and one open item for all that does not add up
 * in the same way. Where no receipt came the expected price counts. Asks for no fence: the answer is a fact, also for a report given
 * up meanwhile. Idempotent: a settled report is left as it is.
 */
export function createSettleReport(parts: LedgerParts): Ledger["settleReport"] {
  const { db, write, balances, outbox, openItems, entryUses, settleUses } = parts;
  const insertReceipt = createInsertReceipt(db);
  // Where every receipt says, word for word, what its entry does, SQLite copies them: half the cost of binding each again.
  const copyReceipts = db.prepare<[number, number]>(
    `INSERT INTO receipt (batch_id, entry_id, url, license_type, license_cuid, per_unit_micros, total_micros, currency, at)
     SELECT batch_id, id, wire_url, license_type, license_cuid, unit_micros, unit_micros * times, currency, ?
     FROM usage_entry WHERE batch_id = ? ORDER BY position`,
  );
  const bookSurplus = createBookSurplus(parts, openItems);
  const close = db.prepare<[number, number]>(
    "UPDATE usage_batch SET state = 'settled', closed_at = ?, unknown_attempts = 0, unknown_since = NULL WHERE id = ?",
  );
  const hasHalves = db.prepare<[number], number>("SELECT 1 FROM usage_batch WHERE parent_id = ? LIMIT 1").pluck();

  return (settlement) =>
    write(() => {
      const { reportId, now } = settlement;
      const state = outbox.stateOf(reportId);
      assertBug(state !== null, `there is no usage report ${reportId}`);
      if (state === "settled") {
        return null;
      }
      if (
        state === "rejected" &&
        (hasHalves.get(reportId) !== undefined || entryUses.countsOf(reportId).length === 0)
      ) {
        const detail = "the gateway took a report after it had refused it: its uses were reported again";
        const about = { reportId, entryId: null };
        openItems.open({ kind: "needs_reconcile", about, detail, url: null, count: 1, at: now });
        return null;
      }
      const receipts = new Map(settlement.receipts.map(({ entryId, receipt }) => [entryId, receipt]));
      const entries = outbox.entriesOf(reportId);
      const oddities: Oddities = new Map();
      const allAsExpected = entries.every((entry) => isAsExpected(entry, receipts.get(entry.entryId) ?? null));
      if (allAsExpected) {
        copyReceipts.run(now, reportId);
      }
      const toCharge = (entry: UsageEntry, billed: boolean) => {
        const { entryId } = entry;
        const receipt = receipts.get(entryId) ?? null;
        receipts.delete(entryId);
        if (receipt !== null && !allAsExpected) {
          insertReceipt(reportId, entryId, receipt, now);
        }
        const charge = checkReceipt(entry, receipt, {
          billed,
          countable: (currency) => countableHeadroom(balances, currency),
        });
        gather(oddities, entryId, charge);
        return charge;
      };
      const charged = settleUses({ reportId, entries, before: state, toCharge });
      assertBug(receipts.size === 0, `receipts for entries that are not in usage report ${reportId}`);
      for (const [kind, { detail, entryId, count }] of oddities) {
        const url = entryUses.pageUrlOf(entryId);
        openItems.open({ kind, about: { reportId, entryId }, detail, url, count, at: now });
      }
      bookSurplus(settlement);
      close.run(now, reportId);
      openItems.closeOf({ kind: "needs_reconcile", reportId, now });
      openItems.closeOf({ kind: "rejected_entry", reportId, now });
      return { charged: Object.fromEntries(charged) };
    });
}

function gather(oddities: Oddities, entryId: number, { oddities: found }: EntryCharge): void {
  for (const { kind, detail } of found) {
    const known = oddities.get(kind);
    if (known === undefined) {
      oddities.set(kind, { detail, entryId, count: 1 });
    } else {
      known.count++;
    }
  }
}

/** Whether a receipt says the very same as its entry, to the last field that is kept of it. */
function isAsExpected(entry: UsageEntry, receipt: Receipt | null): boolean {
  return (
    receipt !== null &&
    receipt.url === entry.url &&
    receipt.licenseType === entry.licenseType &&
    receipt.licenseCuid === entry.licenseCuid &&
    receipt.perUnitPriceMicros === entry.expectedUnitMicros &&
    receipt.totalUsePriceMicros === entry.expectedUnitMicros * entry.timesUsed &&
    receipt.currency === entry.currency &&
    (receipt.error ?? null) === null
  );
}

/** Receipts for nothing that was reported, and those that cannot be read: one item says how many, with the first as its example. */
function createBookSurplus({ db }: LedgerCore, items: OpenItems): (settlement: Settlement) => void {
  const insertReceipt = createInsertReceipt(db);
  return ({ reportId, surplus, unreadable, now }) => {
    for (const receipt of surplus) {
      insertReceipt(reportId, null, receipt, now);
    }
    const [first] = surplus;
    const odd = [
      ...(first === undefined
        ? []
        : [`a receipt of ${first.totalUsePriceMicros} micros ${first.currency} matches nothing that was reported`]),
      ...(unreadable === 0 ? [] : [`${unreadable} receipts of the answer could not be read`]),
    ];
    if (odd.length > 0) {
      items.open({
        kind: "surplus_receipt",
        about: { reportId, entryId: null },
        detail: odd.join("; "),
        url: first?.url ?? null,
        count: surplus.length + unreadable,
        at: now,
      });
    }
  };
}

function createInsertReceipt(
  db: LedgerCore["db"],
): (reportId: number, entryId: number | null, receipt: Receipt, now: number) => void {
  const insert = db.prepare<(string | number | null)[]>(
    "INSERT INTO receipt (batch_id, entry_id, url, license_type, license_cuid, per_unit_micros, total_micros, currency, error, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  return (reportId, entryId, receipt, now) => {
    const { url, licenseType, licenseCuid, perUnitPriceMicros, totalUsePriceMicros, currency, error = null } = receipt;
    insert.run(
      reportId,
      entryId,
      url,
      licenseType,
      licenseCuid,
      perUnitPriceMicros,
      totalUsePriceMicros,
      currency,
      error,
      now,
    );
  };
}
