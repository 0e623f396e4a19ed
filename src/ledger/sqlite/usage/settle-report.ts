import { assertBug } from "../../../errors.ts";
import { checkReceipt, type EntryCharge, type OddityKind } from "../../../usage/check-receipt.ts";
import type { Receipt } from "../../../usage/receipt.ts";
import type { UsageEntry } from "../../usage-ledger.ts";
import { countableHeadroom } from "../money/balance-book.ts";
import type { Answered, Asked, Tx } from "../operation.ts";
import { closeItemsOf, openItem } from "./open-items.ts";
import { readEntries } from "./outbox.ts";
import { spellOut } from "./plain-reports.ts";
import { moveToTaken, readReportState } from "./report-rows.ts";
import { readPageUrl, settleUses } from "./report-uses.ts";
import { readUseCounts } from "./use-rows.ts";

type Settlement = Asked<"settleReport">;

/** The oddities of a whole answer: each kind once, with its first example and how many there are. */
type Oddities = Map<OddityKind, { readonly detail: string; readonly entryId: number; count: number }>;

/**
 * Books the gateway's answer to a report: receipts (one fact where every one says, word for word, what its entry says), what the billed uses come to, and one open item for all that does not add up
 * in the same way. Where no receipt came the expected price counts. Asks for no fence: the answer is a fact, also for a report given
 * up meanwhile. Idempotent: a settled report is left as it is.
 */
export function settleReport(tx: Tx, settlement: Asked<"settleReport">): Answered<"settleReport"> {
  const { reportId, now } = settlement;
  const state = readReportState(tx, reportId);
  assertBug(state !== null, `there is no usage report ${reportId}`);
  if (state === "settled") {
    return null;
  }
  if (
    state === "rejected" &&
    (tx.has`SELECT 1 FROM usage_batch WHERE parent_id = ${reportId} LIMIT 1` ||
      readUseCounts(tx, reportId).length === 0)
  ) {
    const detail = "the gateway took a report after it had refused it: its uses were reported again";
    const about = { reportId, entryId: null };
    openItem(tx, { kind: "needs_reconcile", about, detail, url: null, count: 1, at: now });
    return null;
  }
  const receipts = new Map(settlement.receipts.map(({ entryId, receipt }) => [entryId, receipt]));
  const entries = readEntries(tx, reportId);
  const oddities: Oddities = new Map();
  const receiptsAsExpected = entries.every((entry) => isAsExpected(entry, receipts.get(entry.entryId) ?? null));
  if (!receiptsAsExpected) {
    spellOut(tx, reportId);
  }
  const toCharge = (entry: UsageEntry, billed: boolean) => {
    const { entryId } = entry;
    const receipt = receipts.get(entryId) ?? null;
    receipts.delete(entryId);
    if (receipt !== null && !receiptsAsExpected) {
      insertReceipt(tx, reportId, entryId, receipt, now);
    }
    const charge = checkReceipt(entry, receipt, {
      billed,
      countable: (currency) => countableHeadroom(tx.balances, currency),
    });
    gather(oddities, entryId, charge);
    return charge;
  };
  const charged = settleUses(tx, { reportId, entries, before: state, toCharge });
  assertBug(receipts.size === 0, `receipts for entries that are not in usage report ${reportId}`);
  for (const [kind, { detail, entryId, count }] of oddities) {
    const url = readPageUrl(tx, entryId);
    openItem(tx, { kind, about: { reportId, entryId }, detail, url, count, at: now });
  }
  bookSurplus(tx, settlement);
  moveToTaken(tx, { reportId, receiptsAsExpected, now });
  closeItemsOf(tx, { kind: "needs_reconcile", reportId, now });
  closeItemsOf(tx, { kind: "rejected_entry", reportId, now });
  return { charged: Object.fromEntries(charged) };
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
function bookSurplus(tx: Tx, { reportId, surplus, unreadable, now }: Settlement): void {
  for (const receipt of surplus) {
    insertReceipt(tx, reportId, null, receipt, now);
  }
  const [first] = surplus;
  const odd = [
    ...(first === undefined
      ? []
      : [`a receipt of ${first.totalUsePriceMicros} micros ${first.currency} matches nothing that was reported`]),
    ...(unreadable === 0 ? [] : [`${unreadable} receipts of the answer could not be read`]),
  ];
  if (odd.length > 0) {
    openItem(tx, {
      kind: "surplus_receipt",
      about: { reportId, entryId: null },
      detail: odd.join("; "),
      url: first?.url ?? null,
      count: surplus.length + unreadable,
      at: now,
    });
  }
}

function insertReceipt(tx: Tx, reportId: number, entryId: number | null, receipt: Receipt, now: number): void {
  const { url, licenseType, licenseCuid, perUnitPriceMicros, totalUsePriceMicros, currency, error = null } = receipt;
  tx.run`INSERT INTO receipt (batch_id, entry_id, url, license_type, license_cuid, per_unit_micros, total_micros, currency, error, at)
    VALUES (${reportId}, ${entryId}, ${url}, ${licenseType}, ${licenseCuid}, ${perUnitPriceMicros}, ${totalUsePriceMicros}, ${currency},
    ${error}, ${now})`;
}
