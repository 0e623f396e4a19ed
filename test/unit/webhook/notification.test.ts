import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseNotification, parseNotificationKind, parseTimestamp } from "../../../src/webhook/notification.ts";

const PAYLOAD = {
  sourceCuid: "acct-1",
  sourceHost: "news.example",
  contentUrl: "https://news.example/2026/a",
  timestamp: "2026-11-22T04:05:06.123456789Z",
  notificationType: "CREATED",
};

describe("parseNotification", () => {
  it("reads the payload of the specification and keeps the nanoseconds of its timestamp", () => {
    expect(parseNotification({ ...PAYLOAD, somethingNew: [1] })).toEqual({
      ok: true,
      notification: {
        contentUrl: PAYLOAD.contentUrl,
        kind: "created",
        timestamp: "2026-11-22T04:05:06.123456789Z",
        at: Date.parse("2026-11-22T04:05:06.123Z"),
      },
    });
  });

  it("needs only the page and the kind", () => {
    expect(parseNotification({ contentUrl: "/x", notificationType: "UPDATED", sourceHost: 7 })).toEqual({
      ok: true,
      notification: { contentUrl: "/x", kind: "updated", timestamp: "", at: null },
    });
  });

  it.each([
    ["no object", "CREATED", null],
    ["null", null, null],
    ["a list", [PAYLOAD], null],
    ["no page", { ...PAYLOAD, contentUrl: undefined }, "contentUrl"],
    ["an empty page", { ...PAYLOAD, contentUrl: "" }, "contentUrl"],
    ["a page that is a number", { ...PAYLOAD, contentUrl: 1 }, "contentUrl"],
    ["a page longer than a URL", { ...PAYLOAD, contentUrl: "x".repeat(2049) }, "contentUrl"],
    ["no kind", { ...PAYLOAD, notificationType: undefined }, "notificationType"],
    ["an unknown kind", { ...PAYLOAD, notificationType: "DELETED" }, "notificationType"],
    ["a name of a prototype as kind", { ...PAYLOAD, notificationType: "constructor" }, "notificationType"],
    ["an inherited page", JSON.parse(`{"__proto__": ${JSON.stringify(PAYLOAD)}}`), "contentUrl"],
  ])("refuses %s and names the field", (_what, value, field) => {
    expect(parseNotification(value)).toEqual({ ok: false, field });
  });

  it("never throws, and its texts are bounded and well formed", () => {
    const any = fc.anything({ withNullPrototype: true, withBigInt: true });
    fc.assert(
      fc.property(any, any, any, (contentUrl, timestamp, extra) => {
        const parsed = parseNotification({ contentUrl, timestamp, extra, notificationType: "CREATED" });
        const text = parsed.ok ? parsed.notification.timestamp : "";
        expect(text.length).toBeLessThanOrEqual(64);
        expect(Buffer.from(text).toString()).toBe(text);
      }),
    );
    fc.assert(fc.property(any, (value) => void parseNotification(value)));
  });
});

describe("parseTimestamp", () => {
  const at = Date.parse("2026-11-22T04:05:06.000Z");
  it.each([
    ["seconds", at / 1000],
    ["milliseconds", at],
    ["microseconds", at * 1000],
    ["nanoseconds", at * 1_000_000],
    ["seconds as a text", `${at / 1000}`],
    ["an instant with an offset", "2026-11-22T05:05:06+01:00"],
  ])("reads %s", (_what, value) => {
    expect(parseTimestamp(value)).toEqual({ timestamp: String(value), at });
  });

  it("keeps a text that is not a date as it is, and cuts a long one", () => {
    expect(parseTimestamp(" yesterday ")).toEqual({ timestamp: " yesterday ", at: null });
    expect(parseTimestamp(17)).toEqual({ timestamp: "17", at: null });
    expect(parseTimestamp(Number.NaN)).toEqual({ timestamp: "NaN", at: null });
    expect(parseTimestamp("9".repeat(10_000))).toEqual({ timestamp: "9".repeat(64), at: null });
  });
});

describe("parseNotificationKind", () => {
  it("reads the words of a payload and those of a delivery record", () => {
    expect(["CREATED", "CREATE", "UPDATED", "UPDATE", "created", "", 1, "toString"].map(parseNotificationKind)).toEqual(
      ["created", "created", "updated", "updated", "created", null, null, null],
    );
  });
});
