import { type Micros, toMicros } from "./micros.ts";

/** Parts in the whole, for a proportion written in parts per million. */
export const PARTS_PER_MILLION = 1_000_000;

/**
 * A proportion of an amount (parts per million), rounded up to a whole micro. The result is exact for every pair of safe
 * integers.
 * @throws RangeError when the result leaves the safe integers
 */
export function multiplyPpmCeil(amount: Micros, ppm: number): Micros {
  const product = amount * ppm;
  if (Number.isSafeInteger(product)) {
    // The remainder is subtracted first, because a quotient with a fraction may already be rounded to a whole number.
    const rest = product % PARTS_PER_MILLION;
    return toMicros((product - rest) / PARTS_PER_MILLION + (rest > 0 ? 1 : 0));
  }
  const exact = BigInt(amount) * BigInt(ppm);
  const whole = BigInt(PARTS_PER_MILLION);
  return toMicros(Number(exact / whole + (exact % whole > 0n ? 1n : 0n)));
}
