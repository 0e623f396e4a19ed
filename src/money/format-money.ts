import type { Money } from "./money.ts";

const MICRO_DIGITS = 6;
const MIN_DECIMALS = 2;

/**
 * Writes an amount exactly, with at least two decimals and more when needed: `12.50 USD`, `0.000001 USD`. `parseMoney` reads the
 * result. A negative amount (an overdrawn headroom) gets a minus sign.
 */
export function formatMoney(money: Money): string {
  return formatWithDecimals(money, MIN_DECIMALS);
}

/** As `formatMoney`. @param leastDecimals zeros are added up to so many, such as those of the amounts above and below it */
export function formatWithDecimals(money: Money, leastDecimals: number): string {
  const digits = String(Math.abs(money.micros)).padStart(MICRO_DIGITS + 1, "0");
  const units = digits.slice(0, -MICRO_DIGITS);
  const decimals = digits.slice(-MICRO_DIGITS).slice(0, Math.max(leastDecimals, decimalsOf(money.micros)));
  return `${money.micros < 0 ? "-" : ""}${units}.${decimals} ${money.currency}`;
}

/** With how many decimals `formatMoney` writes it. */
export function decimalsOf(micros: number): number {
  const zeros = /0*$/.exec(String(Math.abs(micros)).padStart(MICRO_DIGITS, "0"))?.[0].length ?? 0;
  return Math.max(MIN_DECIMALS, MICRO_DIGITS - zeros);
}
