import { describe, expect, test } from "vitest";
import type { Budget } from "../../../src/budget/budget.ts";
import { BUDGET_WARNING_PERCENT, findNearLimit } from "../../../src/budget/near-limit.ts";
import { toMicros } from "../../../src/money/micros.ts";

const MAX = Number.MAX_SAFE_INTEGER;

function find(limit: number, settled: number, inDoubt = 0, reserved = 0) {
  const budget: Budget = { scope: { kind: "all" }, period: "month", limitMicros: toMicros(limit), currency: "USD" };
  const balance = { spentMicros: settled, inDoubtMicros: inDoubt, reservedMicros: reserved };
  return findNearLimit(budget, balance as Parameters<typeof findNearLimit>[1]);
}

describe("a budget is nearly used up", () => {
  test.each<[name: string, limit: number, counted: readonly [number, number?, number?], percent: number | null]>([
    ["not one micro below 80 %", 30_000_000, [23_999_999], null],
    ["at exactly 80 %", 30_000_000, [24_000_000], 80],
    ["by what is in doubt and set aside too", 30_000_000, [10_000_000, 8_000_000, 7_000_000], 83],
    ["when nothing is left", 30_000_000, [30_000_000], 100],
    ["when the limit is exceeded", 30_000_000, [33_333_333], 111],
    ["not when nothing may be bought at all", 0, [0], null],
    ["not one micro below 80 % of the largest limit", MAX, [7_205_759_403_792_792], null],
    ["at the largest limit", MAX, [MAX], 100],
  ])("%s", (_name, limit, counted, percent) => {
    expect(find(limit, ...counted)?.percent ?? null).toBe(percent);
  });

  test("from the share that the documents name", () => {
    expect(BUDGET_WARNING_PERCENT).toBe(80);
  });
});
