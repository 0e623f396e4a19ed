import { addMicros, type Micros, subtractMicros } from "./micros.ts";

/** An ISO 4217-like currency code in upper case, such as `USD`. */
export type Currency = string;

/** An amount in one currency. Amounts of different currencies are never added (gateway-notes § Money). */
export interface Money {
  readonly micros: Micros;
  readonly currency: Currency;
}

/** @throws RangeError when the currencies differ: licet does not convert. */
export function addMoney(a: Money, b: Money): Money {
  assertSameCurrency(a, b);
  return { micros: addMicros(a.micros, b.micros), currency: a.currency };
}

/** @throws RangeError when the currencies differ. */
export function subtractMoney(a: Money, b: Money): Money {
  assertSameCurrency(a, b);
  return { micros: subtractMicros(a.micros, b.micros), currency: a.currency };
}

function assertSameCurrency(a: Money, b: Money): void {
  if (a.currency !== b.currency) {
    throw new RangeError(`cannot combine ${a.currency} with ${b.currency}`);
  }
}
