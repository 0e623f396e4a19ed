/** Settling the uses of a report that was taken: what those that are billed come to, and all others with them. Called within a write. */
import { assertBug } from "../../../errors.ts";
import { addMicros, type Micros, multiplyMicros, toMicros, ZERO_MICROS } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { splitMicros } from "../../../money/split-micros.ts";
import type { EntryCharge } from "../../../usage/judge-receipt.ts";
import type { UsageEntry } from "../../usage-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createEntryUses, type EntryUse, type UseCount } from "./entry-uses.ts";
import type { UsageBatchState } from "./usage-outbox.ts";

export interface UsesSettlement {
  readonly batchId: number;
  /** All of the batch, in order. */
  readonly entries: readonly UsageEntry[];
  /** The state that the batch leaves. */
  readonly before: UsageBatchState;
  /** What an entry comes to. @param billed whether any of its uses is charged on the report */
  readonly judge: (entry: UsageEntry, billed: boolean) => Pick<EntryCharge, "totalMicros" | "currency">;
}

/**
 * An entry's total is spread over its uses so that their sum is the gateway's, to the micro. What is not billed carries no money, so
 * all of it is settled by one statement. @returns what the billed ones came to
 */
export function createSettledUses(core: LedgerCore): (settlement: UsesSettlement) => ReadonlyMap<Currency, Micros> {
  const entryUses = createEntryUses(core);
  const chargeUses = createChargeUses(core);
  const settleUnbilled = createSettleUnbilled(core.db);
  const countReported = createCountReported(core);
  return ({ batchId, entries, before, judge }) => {
    const counts = entryUses.countsOf(batchId);
    const hasBilled = counts.some(({ billedCount }) => billedCount > 0);
    const charged = new Map<Currency, Micros>();
    const uses = hasBilled ? entryUses.usesOf(batchId) : new Map<number, readonly EntryUse[]>();
    for (const entry of entries) {
      const own = uses.get(entry.entryId) ?? [];
      const billed = own.some(isBilled);
      const charge = judge(entry, billed);
      if (billed) {
        const micros = chargeUses(own, charge);
        charged.set(charge.currency, addMicros(charged.get(charge.currency) ?? ZERO_MICROS, micros));
      }
    }
    settleUnbilled(entries, counts);
    countReported(counts, before);
    return charged;
  };
}

function isBilled({ billed }: EntryUse): boolean {
  return billed === 1;
}

/** Spreads what an entry comes to over all its uses, and books the share of those that are billed. @returns the sum of these */
function createChargeUses({
  db,
  balances,
  hosts,
  runs,
}: LedgerCore): (uses: readonly EntryUse[], charge: Pick<EntryCharge, "totalMicros" | "currency">) => Micros {
  const settleUse = db.prepare<[number, string, number]>(
    "UPDATE use SET state = 'settled', charged_micros = ?, charged_currency = ? WHERE id = ? AND state IN ('batched', 'rejected')",
  );
  return (uses, { totalMicros, currency: chargedCurrency }) => {
    const shares = splitMicros(
      totalMicros,
      uses.map(({ times }) => times),
    );
    let booked = ZERO_MICROS;
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
      booked = addMicros(booked, share);
    }
    return booked;
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
