import type { Money } from "./money.ts";

const MICRO_DIGITS = 6;
const MIN_DECIMALS = 2;

/**
 * Writes an amount exactly, with at least two decimals and more when needed: `12.50 USD`, `0.000001 USD`. `parseMoney` reads the
 * result. A negative amount (an overdrawn headroom) gets a minus sign.
 */
export function formatMoney(money: Money): string {
  const digits = String(Math.abs(money.micros)).padStart(MICRO_DIGITS + 1, "0");
  const units = digits.slice(0, -MICRO_DIGITS);
  const decimals = digits.slice(-MICRO_DIGITS).replace(/0+$/, "").padEnd(MIN_DECIMALS, "0");
  return `${money.micros < 0 ? "-" : ""}${units}.${decimals} ${money.currency}`;
}
