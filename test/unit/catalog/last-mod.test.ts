import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLastMod } from "../../../src/catalog/last-mod.ts";

describe("parseLastMod", () => {
  it.each([
    ["2026-11-20", "2026-11-20T00:00:00.000Z"],
    ["2026-11-20T10:20:30Z", "2026-11-20T10:20:30.000Z"],
    ["2026-11-20T10:20:30.123456789Z", "2026-11-20T10:20:30.123Z"],
    ["2026-11-20T10:20:30.5Z", "2026-11-20T10:20:30.500Z"],
    ["2026-11-20T10:20:30,25Z", "2026-11-20T10:20:30.250Z"],
    ["2026-11-20T10:20+02:00", "2026-11-20T08:20:00.000Z"],
    ["2026-11-20T10:20:30-0530", "2026-11-20T15:50:30.000Z"],
    ["2026-11-20T10:20:30+02", "2026-11-20T08:20:30.000Z"],
    ["2026-11-20t10:20:30z", "2026-11-20T10:20:30.000Z"],
    ["2026-11-20 10:20:30", "2026-11-20T10:20:30.000Z"],
    ["2026-11-20T10:20:30", "2026-11-20T10:20:30.000Z"],
    [" 2026-11-20 ", "2026-11-20T00:00:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["1971-01-01", "1971-01-01T00:00:00.000Z"],
    ["2199-12-31", "2199-12-31T00:00:00.000Z"],
  ])("reads %s as %s", (raw, instant) => {
    expect(parseLastMod(raw)).toBe(Date.parse(instant));
  });

  it.each([
    null,
    "",
    "yesterday",
    "2026",
    "2026-11",
    "20261120",
    "2026-13-01",
    "2026-00-10",
    "2026-02-29",
    "2026-11-31",
    "2026-11-20T24:00:00Z",
    "2026-11-20T10:60:00Z",
    "2026-11-20T10:20:61Z",
    "2026-11-20T10:20:30+24:00",
    "2026-11-20T10:20:30.1234567890Z",
    "2026-11-20T10:20:30ZZ",
    "Fri, 20 Nov 2026 10:20:30 GMT",
    "1795000000",
    "0001-01-01T00:00:00Z",
    "1970-12-31",
    "2200-01-01",
    "9999-12-31T23:59:59Z",
    "+002026-11-20",
    `2026-11-20${" ".repeat(100)}x`,
  ])("gives null for %j", (raw) => {
    expect(parseLastMod(raw)).toBeNull();
  });

  it("reads back every instant that it can write", () => {
    const instants = fc.date({ min: new Date("1971-01-01"), max: new Date("2199-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(instants, (date) => {
        expect(parseLastMod(date.toISOString())).toBe(date.getTime());
      }),
    );
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string(), (raw) => {
        expect(parseLastMod(raw)).toSatisfy((at) => at === null || Number.isSafeInteger(at));
      }),
    );
  });
});
