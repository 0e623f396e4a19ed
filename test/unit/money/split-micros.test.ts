import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import { splitMicros } from "../../../src/money/split-micros.ts";

const amount = fc.nat({ max: Number.MAX_SAFE_INTEGER }).map(toMicros);
const weights = fc.array(fc.integer({ min: 1, max: 1_000_000_000 }), { minLength: 1, maxLength: 40 });

describe("splitMicros", () => {
  it("gives equal uses equal parts, and spreads the rest", () => {
    expect(splitMicros(toMicros(30), [1, 1, 1])).toEqual([10, 10, 10]);
    expect(splitMicros(toMicros(32), [1, 1, 1])).toEqual([10, 11, 11]);
    expect(splitMicros(toMicros(7), [1, 2, 4])).toEqual([1, 2, 4]);
    expect(splitMicros(toMicros(0), [3, 1])).toEqual([0, 0]);
  });

  it("always adds up to the total, to the micro", () => {
    fc.assert(
      fc.property(amount, weights, (total, parts) => {
        const split = splitMicros(total, parts);
        expect(split.reduce((sum, part) => sum + BigInt(part), 0n)).toBe(BigInt(total));
        expect(split.every((part) => part >= 0)).toBe(true);
      }),
    );
  });

  it("is less than one micro away from each part's exact share", () => {
    fc.assert(
      fc.property(amount, weights, (total, parts) => {
        const whole = parts.reduce((sum, weight) => sum + BigInt(weight), 0n);
        splitMicros(total, parts).forEach((part, index) => {
          const distance = BigInt(part) * whole - BigInt(total) * BigInt(parts[index] ?? 0);
          expect(distance < whole && distance > -whole).toBe(true);
        });
      }),
    );
  });

  it("gives exactly unit × times if the total is that", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 1_000_000 }),
        fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1 }),
        (unit, times) => {
          const total = toMicros(times.reduce((sum, count) => sum + unit * count, 0));
          expect(splitMicros(total, times)).toEqual(times.map((count) => unit * count));
        },
      ),
    );
  });

  it.each([[[]], [[0]], [[1.5]], [[-1]]])("refuses the weights %j", (parts) => {
    expect(() => splitMicros(toMicros(1), parts)).toThrow("bug:");
  });
});
