import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMs } from "../../../src/time/backoff.ts";

const random = fc.double({ min: 0, max: 0.999_999, noNaN: true });
const attempt = fc.integer({ min: 1, max: 10_000 });
const base = fc.integer({ min: 1, max: 60_000 });

describe("the backoff", () => {
  it("is between half of the full wait and all of it, and the full wait doubles up to its limit", () => {
    fc.assert(
      fc.property(attempt, base, fc.integer({ min: 1, max: 600_000 }), random, (n, baseMs, maxMs, x) => {
        const full = Math.min(maxMs, baseMs * 2 ** Math.min(n - 1, 30));
        const waitMs = backoffMs(n, baseMs, maxMs, () => x);
        expect(Number.isSafeInteger(waitMs)).toBe(true);
        expect(waitMs).toBeGreaterThanOrEqual(full / 2);
        expect(waitMs).toBeLessThanOrEqual(Math.ceil(full));
      }),
    );
  });

  it("never shrinks from one attempt to the next with the same random number", () => {
    fc.assert(
      fc.property(attempt, base, random, (n, baseMs, x) => {
        const wait = (of: number) => backoffMs(of, baseMs, 600_000, () => x);
        expect(wait(n + 1)).toBeGreaterThanOrEqual(wait(n));
      }),
    );
  });
});
