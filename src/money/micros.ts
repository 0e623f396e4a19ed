/**
 * Money is counted in whole micros: 1 currency unit = 1,000,000 micros. The brand keeps a plain number
 * from being used as an amount.
 */
export type Micros = number & { readonly __unit: "micros" };

/**
 * Asserts that a number is a safe integer and brands it.
 * @throws RangeError for a fraction, a number that is not finite, or one beyond 2^53 − 1, because sums beyond that would be
 * inexact without an error
 */
export function toMicros(value: number): Micros {
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`${value} is not a whole number of micros that can be counted exactly`);
  }
  // −0 would compare equal to 0 but print as "-0".
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
