import { assertBug } from "../errors.ts";
import { type Micros, toMicros } from "./micros.ts";

/**
 * Splits an amount by whole weights so that the parts add up to it exactly. Each part is the difference of two sums that were
 * rounded down, so each part is off by less than one micro and the remainder is spread evenly. The result depends only on the
 * order.
 *
 * @param weights whole numbers, 1 or more, at least one
 */
export function splitMicros(total: Micros, weights: readonly number[]): Micros[] {
  assertBug(total >= 0, `${total} micros cannot be split`);
  assertBug(weights.length > 0, "an amount is split over at least one part");
  assertBug(
    weights.every((weight) => Number.isSafeInteger(weight) && weight > 0),
    "the weights of a split must be whole and positive",
  );
  if (weights.length === 1) {
    return [total];
  }
  // BigInt, because total × weight leaves the safe integers long before total or weight does.
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
