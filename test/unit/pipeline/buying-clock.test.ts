import { expect, test } from "vitest";
import { createBuyingClock } from "../../../src/pipeline/decide/buying-clock.ts";
import { CLOCK_TOLERANCE_MS } from "../../../src/time/clock-judgement.ts";

const MIDNIGHT = Date.UTC(2026, 10, 1);
const MONTHLY = [{ period: "month" }] as const;
const BEHIND = expect.objectContaining({ code: "CLOCK_BEHIND" });

test("refuses a clock before the newest rows of the ledger, in an earlier period, and names both instants", () => {
  const { check } = createBuyingClock(MONTHLY, MIDNIGHT + CLOCK_TOLERANCE_MS);
  expect(() => check(MIDNIGHT - 1)).toThrow(
    expect.objectContaining({
      code: "CLOCK_BEHIND",
      message: expect.stringContaining(
        "(2026-10-31T23:59:59.999Z) is before the newest rows of the ledger (2026-11-01T00:05:00.000Z)",
      ),
      details: { now: "2026-10-31T23:59:59.999Z", latest: "2026-11-01T00:05:00.000Z" },
    }),
  );
  check(MIDNIGHT);
});

test("bears a difference of five minutes at midnight, as between two machines", () => {
  createBuyingClock(MONTHLY, MIDNIGHT + CLOCK_TOLERANCE_MS - 1).check(MIDNIGHT - 1);
});

test("refuses a clock that is set back during a run, and goes on when the clock is right again", () => {
  const { check } = createBuyingClock(MONTHLY, null);
  check(MIDNIGHT + 1);
  check(MIDNIGHT + 3_600_000);
  expect(() => check(MIDNIGHT - 3_600_000)).toThrow(BEHIND);
  check(MIDNIGHT + 3_600_000);
});

test("an hour back within the period of every budget changes nothing", () => {
  const { check } = createBuyingClock([{ period: "total" }, ...MONTHLY], MIDNIGHT - 1);
  check(MIDNIGHT - 3_600_000);
});

test.each([
  ["no budget", []],
  ["budgets without a period", [{ period: "total" }]],
  ["budgets of shorter periods", [{ period: "day" }]],
] as const)("refuses a clock of an earlier month under %s too: statements count by months", (_, budgets) => {
  const { check } = createBuyingClock(budgets, MIDNIGHT + CLOCK_TOLERANCE_MS);
  expect(() => check(MIDNIGHT - 1)).toThrow(BEHIND);
  check(MIDNIGHT);
});

test("says where money would count wrongly: in a budget, or in a statement alone", () => {
  const messageOf = (budgets: Parameters<typeof createBuyingClock>[0]) => {
    try {
      createBuyingClock(budgets, MIDNIGHT + CLOCK_TOLERANCE_MS).check(MIDNIGHT - 1);
    } catch (error) {
      return (error as Error).message;
    }
    return null;
  };
  expect(messageOf(MONTHLY)).toMatch(/it would count in the budget of month 2026-10, not of month 2026-11$/);
  expect(messageOf([{ period: "total" }])).toMatch(
    /it would count in the statement of month 2026-11, not of month 2026-10$/,
  );
});
