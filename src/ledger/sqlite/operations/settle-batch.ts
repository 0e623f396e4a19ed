import { assertBug } from "../../../errors.ts";
import { type Micros, multiplyMicros, toMicros, ZERO_MICROS } from "../../../money/micros.ts";
import { splitMicros } from "../../../money/split-micros.ts";
import { type EntryCharge, judgeReceipt, type OddityKind } from "../../../usage/judge-receipt.ts";
import type { Receipt } from "../../../usage/receipt.ts";
import type { Ledger } from "../../ledger.ts";
import type { UsageEntry } from "../../usage-ledger.ts";
import { countableRoom } from "../countable-room.ts";
import { createEntryUses, type EntryUse, type UseCount } from "../entry-uses.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createOpenItems, type OpenItems } from "../open-items.ts";
import { createUsageOutbox, type UsageBatchState } from "../usage-outbox.ts";

type Settlement = Parameters<Ledger["settleBatch"]>[0];

/** The oddities of a whole answer: each kind once, with its first example and how many there are. */
type Oddities = Map<OddityKind, { readonly detail: string; readonly entryId: number; count: number }>;

/**
 * Books the gateway's answer to a report: receipts, what the billed uses come to, and an open item for each thing that does
 * not add up. An entry's total is spread over its uses so that their sum is the gateway's, to the micro; where no receipt
 * came the expected price counts. What is not billed carries no money, so all of it is settled by one statement. Asks for no fence: the answer is a fact, also for a batch given up meanwhile. Idempotent:
 * a settled batch is left as it is.
 */
export function createSettleBatch(core: LedgerCore): Ledger["settleBatch"] {
  const { db, write, balances } = core;
  const outbox = createUsageOutbox(core);
  const items = createOpenItems(db);
  const entryUses = createEntryUses(core);
  const insertReceipt = createInsertReceipt(db);
  // Where every receipt says, word for word, what its entry does, SQLite copies them: half the cost of binding each again.
  const copyReceipts = db.prepare<[number, number]>(
    `INSERT INTO receipt (batch_id, entry_id, url, license_type, license_cuid, per_unit_micros, total_micros, currency, at)
     SELECT batch_id, id, wire_url, license_type, license_cuid, unit_micros, unit_micros * times, currency, ?
     FROM usage_entry WHERE batch_id = ? ORDER BY position`,
  );
  const chargeUses = createChargeUses(core);
  const settleUnbilled = createSettleUnbilled(db);
  const countReported = createCountReported(core);
  const bookSurplus = createBookSurplus(core, items);
  const close = db.prepare<[number, number]>("UPDATE usage_batch SET state = 'settled', closed_at = ? WHERE id = ?");
  const hasHalves = db.prepare<[number], number>("SELECT 1 FROM usage_batch WHERE parent_id = ? LIMIT 1").pluck();

  return (settlement) =>
    write(() => {
      const { batchId, now } = settlement;
      const state = outbox.stateOf(batchId);
      assertBug(state !== null, `there is no usage batch ${batchId}`);
      if (state === "settled") {
        return false;
      }
      if (state === "rejected" && hasHalves.get(batchId) !== undefined) {
        const detail = "the gateway took a report after it had refused it: its uses were reported again";
        const about = { batchId, entryId: null };
        items.open({ kind: "needs_reconcile", about, detail, url: null, count: 1, at: now });
        return false;
      }
      const receipts = new Map(settlement.receipts.map(({ entryId, receipt }) => [entryId, receipt]));
      const counts = entryUses.countsOf(batchId);
      const hasBilled = counts.some(({ billedCount }) => billedCount > 0);
      const uses = hasBilled ? entryUses.usesOf(batchId) : new Map<number, readonly EntryUse[]>();
      const entries = outbox.entriesOf(batchId);
      const oddities: Oddities = new Map();
      const allAsExpected = entries.every((entry) => isAsExpected(entry, receipts.get(entry.entryId) ?? null));
      if (allAsExpected) {
        copyReceipts.run(now, batchId);
      }
      for (const entry of entries) {
        const { entryId } = entry;
        const own = uses.get(entryId) ?? [];
        const billed = own.some(isBilled);
        const receipt = receipts.get(entryId) ?? null;
        const charge = judgeReceipt(entry, receipt, {
          billed,
          countableMicros: receipt === null ? ZERO_MICROS : countableRoom(balances, receipt.currency),
        });
        if (receipt !== null && !allAsExpected) {
          insertReceipt(batchId, entryId, receipt, now);
        }
        for (const { kind, detail } of charge.oddities) {
          const known = oddities.get(kind);
          if (known === undefined) {
            oddities.set(kind, { detail, entryId, count: 1 });
          } else {
            known.count++;
          }
        }
        if (billed) {
          chargeUses(own, charge);
        }
        receipts.delete(entryId);
      }
      settleUnbilled(entries, counts);
      countReported(counts, state);
      assertBug(receipts.size === 0, `receipts for entries that are not in usage batch ${batchId}`);
      for (const [kind, { detail, entryId, count }] of oddities) {
        const url = entryUses.pageUrlOf(entryId);
        items.open({ kind, about: { batchId, entryId }, detail, url, count, at: now });
      }
      bookSurplus(settlement);
      close.run(now, batchId);
      items.closeOf({ kind: "needs_reconcile", batchId, now });
      items.closeOf({ kind: "rejected_entry", batchId, now });
      return true;
    });
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
    receipt.currency === entry.currency
  );
}

function isBilled({ billed }: EntryUse): boolean {
  return billed === 1;
}

/** Spreads what an entry comes to over all its uses, and books the share of those that are billed. */
function createChargeUses({
  db,
  balances,
  hosts,
  runs,
}: LedgerCore): (uses: readonly EntryUse[], charge: EntryCharge) => void {
  const settleUse = db.prepare<[number, string, number]>(
    "UPDATE use SET state = 'settled', charged_micros = ?, charged_currency = ? WHERE id = ? AND state IN ('batched', 'rejected')",
  );
  return (uses, { totalMicros, currency: chargedCurrency }) => {
    const shares = splitMicros(
      totalMicros,
      uses.map(({ times }) => times),
    );
    for (const [index, use] of uses.entries()) {
      if (!isBilled(use)) {
        continue;
      }
      const { id, siteId, runId, times, unitMicros, currency, budgetAt } = use;
      const share = shares[index] as Micros;
      const host = hosts.hostOf(siteId);
      const movement = { host, runId: runId === null ? null : runs.nameOf(runId), at: budgetAt };
      balances.account({ ...movement, currency }).reservedMicros -= multiplyMicros(toMicros(unitMicros), times);
      balances.account({ ...movement, currency: chargedCurrency }).settledMicros += share;
      assertBug(settleUse.run(share, chargedCurrency, id).changes === 1, `use ${id} has no report to settle`);
    }
  };
}

/**
 * Settles the uses of a batch that are not billed, however many, by the range of its entries' ids: nothing else lies in it
 * (usage-outbox.ts). Their number, counted by batch, is the proof.
 */
function createSettleUnbilled(
  db: LedgerCore["db"],
): (entries: readonly UsageEntry[], counts: readonly UseCount[]) => void {
  const settle = db.prepare<[number, number]>(
    `UPDATE use INDEXED BY use_by_entry SET state = 'settled'
     WHERE entry_id BETWEEN ? AND ? AND billed = 0 AND state IN ('batched', 'rejected')`,
  );
  return (entries, counts) => {
    const unbilled = counts.reduce((sum, { count, billedCount }) => sum + count - billedCount, 0);
    const { changes } = settle.run(entries[0]?.entryId ?? 0, entries.at(-1)?.entryId ?? 0);
    assertBug(changes === unbilled, `${changes} unbilled uses were settled for the ${unbilled} of a usage batch`);
  };
}

function createCountReported({ tallies }: LedgerCore): (counts: readonly UseCount[], before: UsageBatchState) => void {
  return (counts, before) => {
    for (const { runId, siteId, count } of counts) {
      if (runId === null) {
        continue;
      }
      tallies.add({ runId, siteId, kind: "use_reported" }, count);
      if (before === "rejected") {
        tallies.add({ runId, siteId, kind: "use_rejected" }, -count);
      }
    }
  };
}

/** Receipts for nothing that was reported, and those that cannot be read: one item says how many, with the first as its example. */
function createBookSurplus({ db }: LedgerCore, items: OpenItems): (settlement: Settlement) => void {
  const insertReceipt = createInsertReceipt(db);
  return ({ batchId, surplus, unreadable, now }) => {
    for (const receipt of surplus) {
      insertReceipt(batchId, null, receipt, now);
    }
    const [first] = surplus;
    const odd = [
      ...(first === undefined
        ? []
        : [`a receipt over ${first.totalUsePriceMicros} micros ${first.currency} for nothing that was reported`]),
      ...(unreadable === 0 ? [] : [`${unreadable} receipts of the answer could not be read`]),
    ];
    if (odd.length > 0) {
      items.open({
        kind: "surplus_receipt",
        about: { batchId, entryId: null },
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
): (batchId: number, entryId: number | null, receipt: Receipt, now: number) => void {
  const insert = db.prepare<(string | number | null)[]>(
    "INSERT INTO receipt (batch_id, entry_id, url, license_type, license_cuid, per_unit_micros, total_micros, currency, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  return (batchId, entryId, receipt, now) => {
    const { url, licenseType, licenseCuid, perUnitPriceMicros, totalUsePriceMicros, currency } = receipt;
    insert.run(batchId, entryId, url, licenseType, licenseCuid, perUnitPriceMicros, totalUsePriceMicros, currency, now);
  };
}
