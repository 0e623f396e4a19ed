/**
 * In CI, property tests draw the same examples each time, so that a failure comes from the change at hand. Elsewhere they draw fresh ones, and
 * the nightly job draws 30 times.
 */
import fc from "fast-check";

if (process.env.CI === "true") {
  fc.configureGlobal({ seed: 1 });
}
