/** Calculates the charge of a report's entry from its receipt, and describes what is wrong with the receipt. */
import { assertBug } from "../errors.ts";
import { type Micros, multiplyMicros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { Receipt } from "./receipt.ts";
import type { ReconcilableEntry } from "./reconcile.ts";

export type OddityKind = "missing_receipt" | "receipt_error" | "wrong_total" | "wrong_currency" | "overcharged";

export interface EntryCharge {
  readonly totalMicros: Micros;
  readonly currency: Currency;
  readonly oddities: readonly { readonly kind: OddityKind; readonly detail: string }[];
}

/**
 * A receipt above this many times the expected price is not plausible. The limit is relative because currencies differ: an absurd
 * amount in USD is the price of one page in VND.
 */
export const MAX_TIMES_EXPECTED = 1_000;

/** The limit per use when nothing was expected or the currency differs: 1,000 currency units. */
export const MAX_UNMEASURED_UNIT_MICROS = 1_000_000_000;

export interface ReceiptContext {
  /** Whether any use of the entry is charged on the report. */
  readonly billed: boolean;
  /** How much more money of a currency can be counted exactly. */
  readonly countable: (currency: Currency) => Micros;
}

/**
 * Checks a receipt. The expected price counts when there is no receipt, or when the receipt is not plausible: an absurd total
 * would exhaust every budget and stop licet for good. Such a receipt becomes an open item for a person to check.
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
  const { perUnitPriceMicros, totalUsePriceMicros, error = null } = receipt;
  const failed: EntryCharge["oddities"] =
    error === null
      ? []
      : [{ kind: "receipt_error", detail: `the receipt for ${times} uses has an error: ${error}; its price counts` }];
  assertBug(perUnitPriceMicros >= 0 && totalUsePriceMicros >= 0, "a receipt's amounts must not be negative");
  // The expected amount is already part of the reservations.
  const isExpected = receipt.currency === currency && totalUsePriceMicros <= expected.totalMicros;
  const isCountable = isExpected || !billed || totalUsePriceMicros <= countable(receipt.currency);
  if (!isPlausible(entry, receipt) || !isCountable) {
    const detail = `the receipt's total of ${totalUsePriceMicros} micros ${receipt.currency} for ${times} uses is not plausible where ${expected.totalMicros} ${currency} were expected: the expected price counts`;
    return { ...expected, oddities: [...failed, { kind: "wrong_total", detail }] };
  }
  const oddities: EntryCharge["oddities"][number][] = [...failed];
  // BigInt, because a wrong unit price may be any number and the product may exceed 2^53.
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

/** A product above 2^53 is rounded to 2^53 or more. No total is that large, so the result stays right. */
function isPlausible(
  { timesUsed, expectedUnitMicros, currency }: ReconcilableEntry,
  { totalUsePriceMicros, currency: billedIn }: Receipt,
): boolean {
  const measured = billedIn === currency ? expectedUnitMicros * timesUsed * MAX_TIMES_EXPECTED : 0;
  return totalUsePriceMicros <= Math.max(measured, MAX_UNMEASURED_UNIT_MICROS * timesUsed);
}
