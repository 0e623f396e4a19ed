/**
 * How often a property of a large space is drawn. The same examples each time, so that a failure of `npm test` comes from the change at hand,
 * and a few fresh ones, so that over some weeks everything is tried. A nightly job draws many fresh ones: LICET_FRESH_RUNS=150000.
 */
import fc from "fast-check";

const FIXED_SEED = 1;
const FIXED_RUNS = 2_000;
const FRESH_RUNS = Number(process.env.LICET_FRESH_RUNS ?? 200);

/** A failure prints the seed and the path that repeat it. */
export function assertDrawn<Values>(property: fc.IProperty<Values>): void {
  fc.assert(property, { seed: FIXED_SEED, numRuns: FIXED_RUNS });
  fc.assert(property, { numRuns: FRESH_RUNS });
}
