import { describe, expect, it } from "vitest";
import { parseValidUntil } from "../../../src/rates/valid-until.ts";

describe("the end of a licence", () => {
  it.each([
    ["2026-11-22", "2026-11-23T00:00:00.000Z"],
    ["2026-12-31", "2027-01-01T00:00:00.000Z"],
    ["2024-02-28", "2024-02-29T00:00:00.000Z"],
    ["Nov 22, 2026", "2026-11-23T00:00:00.000Z"],
    ["2026/11/22", "2026-11-23T00:00:00.000Z"],
    ["9999-12-31", "+010000-01-01T00:00:00.000Z"],
  ])("%s, a date without a time, is the end of its day in UTC", (text, instant) => {
    expect(parseValidUntil(text)).toBe(Date.parse(instant));
  });

  it.each([
    ["2026-11-22T00:00:00Z", "2026-11-22T00:00:00.000Z"],
    ["2026-11-22T10:20:30.5+02:00", "2026-11-22T08:20:30.500Z"],
    ["2026-11-22T10:20", "2026-11-22T10:20:00.000Z"],
    ["Sun, 22 Nov 2026 10:20:30 GMT", "2026-11-22T10:20:30.000Z"],
    ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"],
  ])("%s, which has a time, is that instant", (text, instant) => {
    expect(parseValidUntil(text)).toBe(Date.parse(instant));
  });

  it.each([null, "", "for ever", "2026-13-01"])("%j says nothing", (text) => {
    expect(parseValidUntil(text)).toBeNull();
  });
});
