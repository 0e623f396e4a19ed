import fc from "fast-check";
import { expect, test } from "vitest";
import {
  canonicalPageUrl,
  MAX_CANONICAL_URL_CHARS,
  MAX_PAGE_URL_CHARS,
  type ParsedPageUrl,
  parsePageUrl,
  toPathParameter,
} from "../../../src/catalog/page-url.ts";
import table from "../../golden/wire-url/table.json" with { type: "json" };

const HOST = "news.example";
const PREFIX = "https://news.example/";

function expectPage(parsed: ParsedPageUrl) {
  if (!parsed.ok) {
    throw new Error(`refused: ${parsed.reason}`);
  }
  return parsed.pageUrl;
}

test.each(table)("$case: $raw", (row) => {
  const parsed = parsePageUrl(row.raw, row.host);
  if (row.reason !== undefined) {
    expect(parsed).toEqual({ ok: false, reason: row.reason });
    return;
  }
  const { url, wireUrl, path, parameter } = row;
  expect(parsed).toEqual({ ok: true, pageUrl: { url, wireUrl, path } });
  expect(toPathParameter(expectPage(parsed).wireUrl)).toBe(parameter);
});

test("accepts an address with Latin-1 letters after thousands of others, on every supported Node", () => {
  const refused = Array.from({ length: 20_000 }, () => parsePageUrl("https://bücher.example/ä", "bücher.example"));
  expect(refused.filter(({ ok }) => !ok)).toEqual([]);
});

test("accepts a URL of 2,000 characters, and of the longest length, but not of one more", () => {
  for (const length of [2000, MAX_PAGE_URL_CHARS]) {
    const raw = PREFIX.padEnd(length, "x");
    expect(expectPage(parsePageUrl(raw, HOST)).wireUrl).toBe(raw);
  }
  expect(parsePageUrl(PREFIX.padEnd(MAX_PAGE_URL_CHARS + 1, "x"), HOST)).toEqual({ ok: false, reason: "too_long" });
});

test("counts the identity too, which encoding can make much longer", () => {
  const room = Math.floor((MAX_CANONICAL_URL_CHARS - PREFIX.length) / "%E6%97%A5".length);
  expect(parsePageUrl(PREFIX + "日".repeat(room), HOST).ok).toBe(true);
  expect(parsePageUrl(PREFIX + "日".repeat(room + 1), HOST)).toEqual({ ok: false, reason: "too_long" });
});

test("a megabyte is refused like any other long text", () => {
  expect(parsePageUrl(PREFIX.padEnd(1_000_000, "x"), HOST)).toEqual({ ok: false, reason: "too_long" });
  expect(canonicalPageUrl("\ud800".repeat(1_000_000))).toBeNull();
});

/** Texts that look like page addresses more often than chance would have it. */
const anyAddress = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.string({ unit: "binary" }).map((rest) => PREFIX + rest),
  fc.webPath().map((rest) => `https://news.example${rest}`),
);

test("never throws, and an accepted page keeps every rule of its three spellings", () => {
  fc.assert(
    fc.property(anyAddress, fc.oneof(fc.constant(HOST), fc.string({ unit: "binary" })), (raw, host) => {
      const parsed = parsePageUrl(raw, host);
      if (!parsed.ok) {
        return;
      }
      const { url, wireUrl, path } = parsed.pageUrl;
      // The identity is its own identity, and the wire spelling names the same page.
      expect(canonicalPageUrl(url)).toBe(url);
      expect(canonicalPageUrl(wireUrl)).toBe(url);
      expect(parsePageUrl(url, host)).toEqual({ ok: true, pageUrl: { url, wireUrl: url, path } });
      expect(wireUrl).not.toMatch(/[\s#\\]|\p{Cc}|\p{Cf}|\p{Surrogate}/u);
      expect(path.startsWith("/") && !path.includes("?")).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("a path parameter is one segment that decodes to its text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const parameter = toPathParameter(text);
      expect(parameter).toMatch(/^[\w.~%-]*$/);
      expect(decodeURIComponent(parameter)).toBe(text);
    }),
  );
});

test("a path parameter of an invalid text replaces what cannot be encoded", () => {
  expect(toPathParameter("a\ud800b")).toBe("a%EF%BF%BDb");
});
