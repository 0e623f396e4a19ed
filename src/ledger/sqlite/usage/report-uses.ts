/** The uses under the entries of a usage report, as an answer needs them. */

import { addMicros, type Micros, multiplyMicros, ZERO_MICROS } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { splitMicros } from "../../../money/split-micros.ts";
import type { EntryCharge } from "../../../usage/check-receipt.ts";
import type { ReportState } from "../../report-reports.ts";
import type { UsageEntry } from "../../usage-ledger.ts";
import type { ReadTx, Tx } from "../operation.ts";
import { isPlain } from "./plain-reports.ts";
import { IS_ENTRY_OF_REPORT } from "./report-ranges.ts";
import { type OpenUseState, readUseCounts, settleBilledUse, settlePlainUses, settleUnbilledUses } from "./use-rows.ts";

export interface EntryUse {
  readonly id: number;
  readonly entryId: number;
  readonly siteId: number;
  readonly runRowId: number | null;
  readonly times: number;
  readonly unitMicros: Micros;
  readonly currency: Currency;
  /** 1 when it is charged on the report. */
  readonly billed: number;
  readonly budgetAt: number;
}

// CROSS JOIN keeps the order of the tables: the entries of the report lead to their uses.
const SELECT_USES = `SELECT u.id, u.entry_id AS entryId, u.site_id AS siteId, u.run_id AS runRowId, u.times, u.unit_micros AS unitMicros, u.currency,
         u.billed, u.budget_at AS budgetAt
  FROM usage_batch b CROSS JOIN usage_entry e ON ${IS_ENTRY_OF_REPORT} CROSS JOIN use u ON u.entry_id = e.id WHERE b.id = ? ORDER BY e.id, u.id`;

/** Canonical URL of an entry's page. */
export function readPageUrl(tx: ReadTx, entryId: number): string {
  return tx.value<string>`SELECT p.url FROM usage_entry e JOIN page p ON p.id = e.page_id WHERE e.id = ${entryId}` as string;
}

/** By entry, oldest first. One query: a report has hundreds of entries, most of them with one use. */
export function readUses(tx: ReadTx, reportId: number): ReadonlyMap<number, readonly EntryUse[]> {
  const uses = new Map<number, EntryUse[]>();
  for (const use of tx.all<EntryUse>(SELECT_USES, reportId)) {
    const own = uses.get(use.entryId);
    if (own === undefined) {
      uses.set(use.entryId, [use]);
    } else {
      own.push(use);
    }
  }
  return uses;
}

/** Settling the uses of a report that was taken: what those that are billed come to, and all others with them. Called within a write. */
export interface UsesSettlement {
  readonly reportId: number;
  /** All of the report, in order. */
  readonly entries: readonly UsageEntry[];
  /** The state that the report leaves. */
  readonly before: ReportState;
  /** What an entry comes to. @param billed whether any of its uses is charged on the report */
  readonly toCharge: (entry: UsageEntry, billed: boolean) => Pick<EntryCharge, "totalMicros" | "currency">;
}

/**
 * An entry's total is spread over its uses so that their sum is the gateway's, to the micro. What is not billed carries no money, so
 * all of it is settled by one statement. @returns what the billed ones came to
 */
export function settleUses(
  tx: Tx,
  { reportId, entries, before, toCharge }: UsesSettlement,
): ReadonlyMap<Currency, Micros> {
  const from = before === "rejected" ? "rejected" : "batched";
  const counts = readUseCounts(tx, reportId);
  const hasBilled = counts.some(({ billedCount }) => billedCount > 0);
  const charged = new Map<Currency, Micros>();
  const uses = hasBilled ? readUses(tx, reportId) : new Map<number, readonly EntryUse[]>();
  for (const entry of entries) {
    const own = uses.get(entry.entryId) ?? [];
    const billed = own.some(isBilled);
    const charge = toCharge(entry, billed);
    if (billed) {
      const micros = chargeUses(tx, own, from, charge);
      charged.set(charge.currency, addMicros(charged.get(charge.currency) ?? ZERO_MICROS, micros));
    }
  }
  if (isPlain(tx, reportId)) {
    settlePlainUses(tx, counts);
    return charged;
  }
  settleUnbilledUses(tx, { first: entries[0]?.entryId ?? 0, last: entries.at(-1)?.entryId ?? 0 }, from, counts);
  return charged;
}

function isBilled({ billed }: EntryUse): boolean {
  return billed === 1;
}

/** Spreads what an entry comes to over all its uses, and books the share of those that are billed. @returns the sum of these */
function chargeUses(
  tx: Tx,
  uses: readonly EntryUse[],
  from: OpenUseState,
  { totalMicros, currency: chargedCurrency }: Pick<EntryCharge, "totalMicros" | "currency">,
): Micros {
  const shares = splitMicros(
    totalMicros,
    uses.map(({ times }) => times),
  );
  let booked = ZERO_MICROS;
  for (const [index, use] of uses.entries()) {
    if (!isBilled(use)) {
      continue;
    }
    const { times, unitMicros, ...billed } = use;
    const micros = shares[index] as Micros;
    const expectedMicros = multiplyMicros(unitMicros, times);
    settleBilledUse(tx, { ...billed, expectedMicros }, from, { currency: chargedCurrency, micros });
    booked = addMicros(booked, micros);
  }
  return booked;
}
