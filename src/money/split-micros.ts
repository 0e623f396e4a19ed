import { assertBug } from "../errors.ts";
import { type Micros, toMicros } from "./micros.ts";

/**
 * Splits an amount over whole weights so that the parts add up to it exactly: each part is the difference of two sums that
 * were rounded down, so no part is off by a whole micro and what is left over is spread evenly. Deterministic by order.
 *
 * @param weights whole numbers, 1 or more, at least one
 */
export function splitMicros(total: Micros, weights: readonly number[]): Micros[] {
  assertBug(total >= 0, `${total} micros cannot be split`);
  assertBug(weights.length > 0, "an amount is split over at least one part");
  assertBug(
    weights.every((weight) => Number.isSafeInteger(weight) && weight > 0),
    "the weights of a split are whole and positive",
  );
  if (weights.length === 1) {
    return [total];
  }
  // BigInt: total × weight leaves the safe integers long before either does.
  const whole = weights.reduce((sum, weight) => sum + BigInt(weight), 0n);
  let weightSoFar = 0n;
  let givenSoFar = 0n;
  return weights.map((weight) => {
    weightSoFar += BigInt(weight);
    const due = (BigInt(total) * weightSoFar) / whole;
    const part = due - givenSoFar;
    givenSoFar = due;
    return toMicros(Number(part));
  });
}
