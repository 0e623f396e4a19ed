import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { nextMidnight, type Period, periodKey } from "../../../src/time/period.ts";

const at = (text: string) => Date.parse(text);
const instants = fc.integer({ min: at("1970-01-01T00:00:00Z"), max: at("2199-12-31T00:00:00Z") });
const periods = fc.constantFrom("day" as const, "week" as const, "month" as const, "total" as const);

describe("periodKey", () => {
  it.each([
    ["day", "2026-11-20T23:59:59.999Z", "day:2026-11-20"],
    ["day", "2026-11-21T00:00:00.000Z", "day:2026-11-21"],
    ["week", "2026-11-20T12:00:00Z", "week:2026-W47"],
    ["week", "2026-11-22T23:59:59.999Z", "week:2026-W47"],
    ["week", "2026-11-23T00:00:00Z", "week:2026-W48"],
    ["week", "2027-01-01T00:00:00Z", "week:2026-W53"],
    ["week", "2024-12-30T00:00:00Z", "week:2025-W01"],
    ["week", "2023-01-01T00:00:00Z", "week:2022-W52"],
    ["week", "1970-01-01T00:00:00Z", "week:1970-W01"],
    ["month", "2024-02-29T23:59:59Z", "month:2024-02"],
    ["total", "2026-11-20T00:00:00Z", "total"],
  ] as const)("names the %s of %s %s", (period, instant, key) => {
    expect(periodKey(period, at(instant))).toBe(key);
  });
});

describe.each(["America/Los_Angeles", "Pacific/Kiritimati", "Asia/Kolkata"])("on a machine in %s", (zone) => {
  const own = process.env.TZ;
  beforeEach(() => {
    process.env.TZ = zone;
  });
  afterEach(() => {
    if (own === undefined) {
      delete process.env.TZ;
    } else {
      process.env.TZ = own;
    }
  });

  it("periods are in UTC too", () => {
    // Else this would prove nothing.
    expect(new Date(0).getTimezoneOffset()).not.toBe(0);
    for (const instant of ["2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z"]) {
      const [year, month, day] = instant.slice(0, 10).split("-");
      expect(periodKey("day", at(instant))).toBe(`day:${year}-${month}-${day}`);
      expect(periodKey("month", at(instant))).toBe(`month:${year}-${month}`);
    }
    expect(periodKey("week", at("2027-01-03T23:59:59.999Z"))).toBe("week:2026-W53");
    expect(periodKey("week", at("2027-01-04T00:00:00.000Z"))).toBe("week:2027-W01");
  });
});

/** The first instant of the period, by the calendar of `Date` alone. */
function beginOf(period: Period, instant: number): number {
  const date = new Date(instant);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (period) {
    case "day":
      return Date.UTC(year, month, day);
    case "week":
      return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
    case "month":
      return Date.UTC(year, month, 1);
    case "total":
      return 0;
    default:
      return period satisfies never;
  }
}

test("two instants share a key exactly when their period begins at the same instant", () => {
  fc.assert(
    fc.property(periods, instants, fc.integer({ min: 0, max: 40 * 86_400_000 }), (period, a, distance) => {
      const b = a + distance;
      expect(beginOf(period, a) === beginOf(period, b)).toBe(periodKey(period, a) === periodKey(period, b));
    }),
  );
});

test("the next midnight of an instant on midnight is a day later", () => {
  const midnight = Date.UTC(2026, 10, 22);
  expect([midnight - 1, midnight].map(nextMidnight)).toEqual([midnight, Date.UTC(2026, 10, 23)]);
});
