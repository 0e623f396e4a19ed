/**
 * Money is counted in whole micros: 1 currency unit = 1,000,000 micros (gateway-spec § Limits).
 * The brand keeps a plain count from being taken for an amount.
 */
export type Micros = number & { readonly __unit: "micros" };

/**
 * Asserts that a number is a safe integer and brands it.
 * @throws RangeError when it is a fraction, not finite, or beyond 2^53 − 1: sums past that would be silently inexact.
 */
export function toMicros(value: number): Micros {
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`${value} is not a whole number of micros that can be counted exactly`);
  }
  // −0 would survive JSON and comparisons but print as "-0".
  return (value === 0 ? 0 : value) as Micros;
}

/** The exact sum. @throws RangeError when it leaves the safe integers. */
export function addMicros(a: Micros, b: Micros): Micros {
  return toMicros(a + b);
}

/** The exact difference. @throws RangeError when it leaves the safe integers. */
export function subtractMicros(a: Micros, b: Micros): Micros {
  return toMicros(a - b);
}

/** The exact product with a whole count. @throws RangeError when it leaves the safe integers. */
export function multiplyMicros(amount: Micros, count: number): Micros {
  return toMicros(amount * count);
}

export const ZERO_MICROS = 0 as Micros;
