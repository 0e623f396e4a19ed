import { expect, test } from "vitest";
import type { BudgetPeriod } from "../../../src/budget/budget.ts";
import { findPastPeriod } from "../../../src/budget/past-period.ts";

const FRIDAY = Date.UTC(2026, 9, 30, 12);
const SATURDAY = Date.UTC(2026, 9, 31, 12);
const SUNDAY = Date.UTC(2026, 10, 1, 12);

const find = (periods: readonly BudgetPeriod[], now: number, latestAt: number) =>
  findPastPeriod(periods, { now, latestAt });

test("finds the longest period of a budget that is over at the later instant", () => {
  expect(find(["day", "month"], FRIDAY, SUNDAY)).toEqual({ now: "month 2026-10", latest: "month 2026-11" });
  expect(find(["day", "month"], FRIDAY, SATURDAY)).toEqual({ now: "day 2026-10-30", latest: "day 2026-10-31" });
});

test("finds nothing within the same periods, without budgets, and when time has gone forwards", () => {
  expect(find(["week", "total"], FRIDAY, SUNDAY)).toBeNull();
  expect(find([], FRIDAY, SUNDAY)).toBeNull();
  expect(find(["day"], SUNDAY, FRIDAY)).toBeNull();
});
