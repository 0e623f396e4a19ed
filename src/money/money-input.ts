import { LicetError } from "../errors.ts";
import { toMicros } from "./micros.ts";
import type { Money } from "./money.ts";
import { parseMoney } from "./parse-money.ts";

const CURRENCY = /^[A-Z][A-Z0-9]{2,7}$/;
const HINT = 'Write it like "12.50 USD", or like { micros: 12_500_000, currency: "USD" }.';

/** The spellings of an amount: a text like `"12.50 USD"`, or whole micros (1 USD = 1,000,000 micros) with their currency. */
export type MoneyInput = string | { readonly micros: number; readonly currency: string };

/**
 * The amount of any of its spellings, exactly: `money("12.50 USD")`, `money({ micros: 12_500_000, currency: "USD" })`. Every option
 * of the library that takes an amount takes these spellings.
 * @throws LicetError MONEY_INVALID for a text that is not an amount, a negative or fractional number of micros, or a currency that
 * is not a code in capitals
 */
export function money(input: MoneyInput): Money {
  if (typeof input === "string") {
    return parseMoney(input);
  }
  // A value from JSON or JavaScript may be anything.
  const { micros, currency }: Partial<Record<"micros" | "currency", unknown>> = (input as typeof input | null) ?? {};
  if (typeof micros !== "number" || !Number.isSafeInteger(micros) || micros < 0) {
    throw invalid("micros must be a whole number, 0 or more");
  }
  if (typeof currency !== "string" || !CURRENCY.test(currency)) {
    throw invalid("the currency must be a code in capitals, such as USD");
  }
  return { micros: toMicros(micros), currency };
}

function invalid(reason: string): LicetError {
  return new LicetError("MONEY_INVALID", `this is not an amount of money: ${reason}`, {
    hint: HINT,
    details: { reason },
  });
}
