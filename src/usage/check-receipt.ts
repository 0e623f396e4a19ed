/** What an entry of a report comes to by its receipt, and what is odd about that. */
import { assertBug } from "../errors.ts";
import { type Micros, multiplyMicros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { Receipt } from "./receipt.ts";
import type { ReconcilableEntry } from "./reconcile.ts";

export type OddityKind = "missing_receipt" | "wrong_total" | "wrong_currency" | "overcharged";

export interface EntryCharge {
  readonly totalMicros: Micros;
  readonly currency: Currency;
  readonly oddities: readonly { readonly kind: OddityKind; readonly detail: string }[];
}

/**
 * A receipt may come to this many times of what was expected. Relative, because a unit of one currency is ten thousand of another:
 * an amount that is absurd in USD is the price of one page in VND.
 */
export const MAX_TIMES_EXPECTED = 1_000;

/** Per use, where what was expected gives no measure: it was nothing, or in another currency. 1,000 units. */
export const MAX_UNMEASURED_UNIT_MICROS = 1_000_000_000;

export interface ReceiptContext {
  /** Whether any use of the entry is charged on the report. */
  readonly billed: boolean;
  /** How much more money of a currency can be counted exactly. */
  readonly countable: (currency: Currency) => Micros;
}

/**
 * The expected price counts where there is no receipt, and where it is not plausible: an absurd total would exhaust every budget
 * and stop licet for good. It is listed then, for a person to ask about.
 */
export function checkReceipt(
  entry: ReconcilableEntry,
  receipt: Receipt | null,
  { billed, countable }: ReceiptContext,
): EntryCharge {
  const { timesUsed: times, expectedUnitMicros, currency } = entry;
  const expected = { totalMicros: multiplyMicros(expectedUnitMicros, times), currency };
  if (receipt === null) {
    const detail = `the gateway gave no receipt for ${times} uses: the expected price counts`;
    return { ...expected, oddities: [{ kind: "missing_receipt", detail }] };
  }
  const { perUnitPriceMicros, totalUsePriceMicros } = receipt;
  assertBug(perUnitPriceMicros >= 0 && totalUsePriceMicros >= 0, "a receipt's amounts are not negative");
  // What was expected has its place among the reservations already.
  const isExpected = receipt.currency === currency && totalUsePriceMicros <= expected.totalMicros;
  const isCountable = isExpected || !billed || totalUsePriceMicros <= countable(receipt.currency);
  if (!isPlausible(entry, receipt) || !isCountable) {
    const detail = `the receipt's total of ${totalUsePriceMicros} micros ${receipt.currency} for ${times} uses is not plausible where ${expected.totalMicros} ${currency} were expected: the expected price counts`;
    return { ...expected, oddities: [{ kind: "wrong_total", detail }] };
  }
  const oddities: EntryCharge["oddities"][number][] = [];
  // In whole numbers beyond 2^53 where need be: a wrong unit price may be anything.
  if (BigInt(perUnitPriceMicros) * BigInt(times) !== BigInt(totalUsePriceMicros)) {
    const detail = `${perUnitPriceMicros} micros × ${times} uses is not the receipt's total of ${totalUsePriceMicros}`;
    oddities.push({ kind: "wrong_total", detail });
  }
  if (receipt.currency !== currency) {
    const detail = `the receipt is in ${receipt.currency}, the licence was priced in ${currency}`;
    oddities.push({ kind: "wrong_currency", detail });
  } else if (billed && totalUsePriceMicros > expected.totalMicros) {
    const detail = `${times} uses were charged ${totalUsePriceMicros} micros on the report, ${expected.totalMicros} were expected`;
    oddities.push({ kind: "overcharged", detail });
  }
  return { totalMicros: totalUsePriceMicros, currency: receipt.currency, oddities };
}

/** Products beyond 2^53 round to 2^53 or more, which no total reaches: the answer stays right. */
function isPlausible(
  { timesUsed, expectedUnitMicros, currency }: ReconcilableEntry,
  { totalUsePriceMicros, currency: billedIn }: Receipt,
): boolean {
  const measured = billedIn === currency ? expectedUnitMicros * timesUsed * MAX_TIMES_EXPECTED : 0;
  return totalUsePriceMicros <= Math.max(measured, MAX_UNMEASURED_UNIT_MICROS * timesUsed);
}
