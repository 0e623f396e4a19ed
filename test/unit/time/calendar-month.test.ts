import { expect, test } from "vitest";
import { lastEndedMonth, parseCalendarMonth } from "../../../src/time/calendar-month.ts";

test("a month goes from its first instant to that of the next one, in UTC", () => {
  expect(parseCalendarMonth("2026-12")).toEqual({
    name: "2026-12",
    from: Date.UTC(2026, 11, 1),
    to: Date.UTC(2027, 0, 1),
  });
});

test.each(["2026-13", "2026-00", "2026-1", "26-11", "2026-11-01", "1969-12", "", " 2026-11", "2026/11"])(
  "%j is not a month",
  (text) => {
    expect(parseCalendarMonth(text)).toBeNull();
  },
);

test("the month that ended last is the one before, also in January and at the first instant", () => {
  expect(lastEndedMonth(Date.UTC(2027, 0, 15)).name).toBe("2026-12");
  expect(lastEndedMonth(Date.UTC(2026, 11, 1)).name).toBe("2026-11");
  expect(lastEndedMonth(Date.UTC(2026, 11, 1) - 1).name).toBe("2026-10");
});
