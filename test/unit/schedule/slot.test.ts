import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countSlots,
  createCronSlots,
  createIntervalSlots,
  latestSlot,
  nextSlots,
  type SlotTimes,
} from "../../../src/schedule/slot.ts";
import { createZone } from "../../../src/schedule/zone-offset.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

const iso = (at: number) => new Date(at).toISOString().replace(".000Z", "Z");
const slotsOf = (cron: string, timeZone: string, from: string, count: number) =>
  nextSlots(createCronSlots(cron, timeZone), Date.parse(from), count).map(iso);

/** The times that a function is asked for, to see that its work is bounded. */
function countCalls(times: SlotTimes): SlotTimes & { readonly calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    next: (after) => {
      calls += 1;
      return times.next(after);
    },
  };
}

describe("the slots of a cron expression", () => {
  it.each([
    ["every six hours", "0 */6 * * *", "2026-11-20T12:00:00Z", ["2026-11-20T18:00:00Z", "2026-11-21T00:00:00Z"]],
    ["seconds", "*/20 * * * * *", "2026-11-20T12:00:01Z", ["2026-11-20T12:00:20Z", "2026-11-20T12:00:40Z"]],
    ["a name", "@daily", "2026-11-20T12:00:00Z", ["2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"]],
    [
      "the 31st, in months that have one",
      "0 0 31 * *",
      "2026-02-01T00:00:00Z",
      ["2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z"],
    ],
    ["the last day", "0 0 L * *", "2028-02-01T00:00:00Z", ["2028-02-29T00:00:00Z", "2028-03-31T00:00:00Z"]],
    [
      "leap days, also past a year that is not one",
      "0 0 29 2 *",
      "2095-01-01T00:00:00Z",
      ["2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"],
    ],
    ["the end of a year", "59 59 23 31 12 *", "2026-11-20T12:00:00Z", ["2026-12-31T23:59:59Z", "2027-12-31T23:59:59Z"]],
    ["midnight of the new year", "0 0 1 1 *", "2026-12-31T23:59:59Z", ["2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z"]],
  ])("are right for %s", (_name, cron, from, slots) => {
    expect(slotsOf(cron, "UTC", from, 2)).toEqual(slots);
  });

  it("are those of the clocks of the time zone", () => {
    expect(slotsOf("0 9 * * *", "Europe/Berlin", "2026-07-01T00:00:00Z", 1)).toEqual(["2026-07-01T07:00:00Z"]);
    expect(slotsOf("0 9 * * *", "Asia/Kolkata", "2026-07-01T00:00:00Z", 1)).toEqual(["2026-07-01T03:30:00Z"]);
  });

  it("never contain the instant from which they are asked for", () => {
    expect(slotsOf("0 12 * * *", "UTC", "2026-11-20T12:00:00Z", 1)).toEqual(["2026-11-21T12:00:00Z"]);
    expect(slotsOf("0 12 * * *", "UTC", "2026-11-20T11:59:59.999Z", 1)).toEqual(["2026-11-20T12:00:00Z"]);
  });

  it("are none when there is no such day", () => {
    const never = { next: () => null };
    expect(nextSlots(never, 0, 5)).toEqual([]);
    expect(latestSlot(never, 0, YEAR_MS)).toBeNull();
    expect(countSlots(never, 0, YEAR_MS, 5)).toBe(0);
  });
});

describe("daylight saving", () => {
  // 2026 in Berlin: 02:00 becomes 03:00 on March 29 at 01:00 UTC, and 03:00 becomes 02:00 on October 25 at 01:00 UTC.
  it.each([
    [
      "a time that is missing comes at the end of the missing hour",
      "30 2 * * *",
      "2026-03-28T12:00:00Z",
      ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"],
    ],
    [
      "several missing times and the end of their hour are one slot",
      "*/20 2,3 * * *",
      "2026-03-28T12:00:00Z",
      ["2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z", "2026-03-30T00:00:00Z"],
    ],
    [
      "a time that comes twice is one slot, the first of both",
      "30 2 * * *",
      "2026-10-24T12:00:00Z",
      ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
    ],
    ["asked for between both, the slot is over", "30 2 * * *", "2026-10-25T00:31:00Z", ["2026-10-26T01:30:00Z"]],
    [
      "asked for in the second of both hours, the slot is over",
      "30 2 * * *",
      "2026-10-25T01:10:00Z",
      ["2026-10-26T01:30:00Z"],
    ],
    [
      "each second of the doubled hour comes once",
      "* * 2 * * *",
      "2026-10-25T00:59:58Z",
      ["2026-10-25T00:59:59Z", "2026-10-26T01:00:00Z"],
    ],
    [
      "what is due each hour is due in both hours",
      "*/30 * * * *",
      "2026-10-25T00:00:00Z",
      ["2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:00:00Z"],
    ],
    [
      "what is due each second does not pause",
      "* * * * * *",
      "2026-10-25T00:59:58Z",
      ["2026-10-25T00:59:59Z", "2026-10-25T01:00:00Z", "2026-10-25T01:00:01Z"],
    ],
  ])("%s", (_name, cron, from, slots) => {
    expect(slotsOf(cron, "Europe/Berlin", from, slots.length)).toEqual(slots);
  });

  it("is right where the clocks change by half an hour, and where they change at midnight", () => {
    expect(slotsOf("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z", 2)).toEqual([
      "2026-04-04T14:45:00Z",
      "2026-04-05T15:15:00Z",
    ]);
    expect(slotsOf("30 0 * * *", "Atlantic/Azores", "2026-10-24T12:00:00Z", 2)).toEqual([
      "2026-10-25T00:30:00Z",
      "2026-10-26T01:30:00Z",
    ]);
  });

  /** A second definition, minute by minute: what the clocks show, and whether they showed it before. */
  function listByMinute({ minutes, hours, timeZone, from, until }: Days): number[] {
    const { toWall } = createZone(timeZone);
    const isEveryHour = hours.size === 24;
    const isDue = (wall: number) =>
      minutes.has(new Date(wall).getUTCMinutes()) && hours.has(new Date(wall).getUTCHours());
    const slots: number[] = [];
    let shownUntil = toWall(from - DAY_MS);
    for (let at = from - DAY_MS + MINUTE_MS; at <= until; at += MINUTE_MS) {
      const wall = toWall(at);
      let isSlot = isDue(wall) && (isEveryHour || wall > shownUntil);
      // What the clocks jumped over.
      for (let missing = shownUntil + MINUTE_MS; missing < wall && !isSlot; missing += MINUTE_MS) {
        isSlot = isDue(missing);
      }
      shownUntil = Math.max(shownUntil, wall);
      if (isSlot && at > from) {
        slots.push(at);
      }
    }
    return slots;
  }
  interface Days {
    readonly minutes: ReadonlySet<number>;
    readonly hours: ReadonlySet<number>;
    readonly timeZone: string;
    readonly from: number;
    readonly until: number;
  }
  const changes: readonly (readonly [string, string])[] = [
    ["Europe/Berlin", "2026-03-29T01:00:00Z"],
    ["Europe/Berlin", "2026-10-25T01:00:00Z"],
    ["America/New_York", "2026-11-01T06:00:00Z"],
    ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
    ["Australia/Lord_Howe", "2026-10-03T15:30:00Z"],
    ["Atlantic/Azores", "2026-10-25T01:00:00Z"],
    ["Africa/Cairo", "2026-04-23T22:00:00Z"],
    ["UTC", "2026-03-29T01:00:00Z"],
  ];
  const someOf = (max: number) =>
    fc.uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 4 }).map((values) => new Set(values));

  it("gives the slots of a second definition, from each moment around a change of the clocks", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...changes),
        someOf(59),
        fc.oneof(someOf(23), fc.constant(new Set(Array.from({ length: 24 }, (_, hour) => hour)))),
        fc.integer({ min: -180, max: 180 }),
        ([timeZone, change], minutes, hours, beforeMinutes) => {
          const from = Date.parse(change) + beforeMinutes * MINUTE_MS;
          const until = from + 6 * HOUR_MS;
          const cron = `${[...minutes].join(",")} ${hours.size === 24 ? "*" : [...hours].join(",")} * * *`;
          const times = createCronSlots(cron, timeZone);
          const expected = listByMinute({ minutes, hours, timeZone, from, until });
          expect(nextSlots(times, from, expected.length).map(iso), cron).toEqual(expected.map(iso));
          expect(latestSlot(times, from, until), cron).toBe(expected.at(-1) ?? null);
          expect(countSlots(times, from, until, 1_000)).toBe(expected.length);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("the latest slot and the number of slots", () => {
  it("take few steps, also for a year of seconds", () => {
    const times = countCalls(createCronSlots("* * * * * *", "Europe/Berlin"));
    const until = Date.parse("2026-11-20T12:00:00.500Z");
    expect(iso(latestSlot(times, until - YEAR_MS, until) ?? 0)).toBe("2026-11-20T12:00:00Z");
    expect(countSlots(times, until - YEAR_MS, until, 1_000)).toBe(1_000);
    expect(times.calls()).toBeLessThan(1_100);
  });

  it("find the last second of a day that is long ago", () => {
    const times = countCalls(createCronSlots("* * * 1 1 *", "UTC"));
    const until = Date.parse("2026-11-20T12:00:00Z");
    expect(iso(latestSlot(times, until - YEAR_MS, until) ?? 0)).toBe("2026-01-01T23:59:59Z");
    expect(times.calls()).toBeLessThan(100);
  });

  it("contain the end of the time and not its beginning", () => {
    const times = createIntervalSlots(HOUR_MS);
    expect(latestSlot(times, HOUR_MS, 3 * HOUR_MS)).toBe(3 * HOUR_MS);
    expect(countSlots(times, HOUR_MS, 3 * HOUR_MS, 10)).toBe(2);
    expect(latestSlot(times, HOUR_MS, 2 * HOUR_MS - 1)).toBeNull();
  });
});

it("an interval is due at each multiple of it, whoever asks", () => {
  expect(nextSlots(createIntervalSlots(5 * MINUTE_MS), Date.parse("2026-11-20T12:03:00Z"), 2).map(iso)).toEqual([
    "2026-11-20T12:05:00Z",
    "2026-11-20T12:10:00Z",
  ]);
});
