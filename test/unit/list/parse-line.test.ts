import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_KEY_CHARS, parseEntry, parseLine } from "../../../src/list/parse-line.ts";

const bad = (reason: string) => ({ kind: "bad", reason });
const entry = (terms: object) => ({
  kind: "entry",
  entry: { url: "https://a.example/p", maxPrice: null, license: null, value: null, key: null, ...terms },
});
const json = (terms: object) => JSON.stringify({ url: "https://a.example/p", ...terms });

describe("parseLine", () => {
  it.each([
    ["a plain URL", "  https://a.example/p\r", entry({})],
    ["a JSON object", json({}), entry({})],
    ["a cap as text", json({ maxPrice: "0.02 USD" }), entry({ maxPrice: { micros: 20_000, currency: "USD" } })],
    [
      "a cap in micros",
      json({ maxPrice: { micros: 5, currency: "EUR" } }),
      entry({ maxPrice: { micros: 5, currency: "EUR" } }),
    ],
    ["a value and a key", json({ value: 0.5, key: "doc 7" }), entry({ value: 0.5, key: "doc 7" })],
    ["a key that is a number", json({ key: 17 }), entry({ key: "17" })],
    ["fields without a value", json({ maxPrice: null, value: null, key: null, license: null }), entry({})],
    ["a field that means nothing here", json({ title: "Rain", day: "2026-11-22", uri: "x" }), entry({})],
    [
      "the license of a plan",
      json({ license: { licenseType: "CUSTOM_LICENSE", cuid: "c1" } }),
      entry({ license: { licenseType: "CUSTOM_LICENSE", cuid: "c1" } }),
    ],
  ])("takes %s", (_name, line, parsed) => {
    expect(parseLine(line)).toEqual(parsed);
  });

  it.each(["", "   ", "\r", "# pages of the week", "  # indented"])("passes over %j, which says nothing", (line) => {
    expect(parseLine(line)).toEqual({ kind: "blank" });
  });

  it.each([
    ['{"url": "https://a.example/p"', "not_json"],
    ['["https://a.example/p"]', "not_json"],
    ['"https://a.example/p"', "not_json"],
    ["{}", "no_url"],
    ['{"url": ""}', "no_url"],
    ['{"url": 7}', "no_url"],
    ["https://a.example/p 0.02 USD", "text_behind_url"],
    ["https://a.example/p\tdoc-7", "text_behind_url"],
    ['https://a.example/p,"doc 7"', "text_behind_url"],
    [json({ url: "https://a.example/p https://a.example/q" }), "text_behind_url"],
    [json({ maxPrice: 0.02 }), "bad_max_price"],
    [json({ maxPrice: "0.02" }), "bad_max_price"],
    [json({ maxPrice: "-1 USD" }), "bad_max_price"],
    [json({ maxPrice: { micros: 0.5, currency: "USD" } }), "bad_max_price"],
    [json({ value: -1 }), "bad_value"],
    [json({ value: "3" }), "bad_value"],
    [json({ key: {} }), "bad_key"],
    [json({ key: "x".repeat(MAX_KEY_CHARS + 1) }), "bad_key"],
    ['{"url": "https://a.example/p", "key": "\\ud800"}', "bad_key"],
    [json({ license: "CUSTOM_LICENSE" }), "bad_license"],
    // A cap that is misspelt would not hold.
    [json({ max_price: "0.02 USD" }), "unknown_field"],
    [json({ maxprice: "0.02 USD" }), "unknown_field"],
    [json({ maxPrise: "0.02 USD" }), "unknown_field"],
    [json({ licence: { licenseType: "CUSTOM_LICENSE", cuid: "c1" } }), "unknown_field"],
  ])("leaves out %s: %s", (line, reason) => {
    expect(parseLine(line)).toEqual(bad(reason));
  });

  it("takes any text and any JSON value without an exception", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (line) => {
        expect(["entry", "blank", "bad"]).toContain(parseLine(line).kind);
      }),
    );
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(["entry", "bad"]).toContain(parseEntry(value).kind);
      }),
    );
  });
});
