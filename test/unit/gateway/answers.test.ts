import fc from "fast-check";
import { expect, test } from "vitest";
import { readCatalogPage } from "../../../src/gateway/endpoints/catalog-list.ts";
import { readContent } from "../../../src/gateway/endpoints/content.ts";
import { readRatesBatch } from "../../../src/gateway/endpoints/rates-batch.ts";
import { readPageRates } from "../../../src/gateway/endpoints/rates-page.ts";
import { readReceipts } from "../../../src/gateway/endpoints/self-report.ts";
import { readToken, TOKEN_LIFE_MS } from "../../../src/gateway/endpoints/token-issue.ts";
import { readHistoryPage } from "../../../src/gateway/endpoints/webhook-history.ts";
import { MAX_PRICE_MICROS } from "../../../src/rates/rate.ts";

const MAX = Number.MAX_SAFE_INTEGER;
const NOW = Date.UTC(2026, 0, 1);
const LICENSE = {
  cuid: "l1",
  licenseType: "ON_DEMAND_LICENSE",
  licensePath: "https://l.example/1",
  permissions: [{ name: "PARTIAL_USE" }, "CITATION_REQUIRED", { name: "PARTIAL_USE" }],
};
const price = (priceMicros: unknown, currency: unknown = "USD") => ({ priceMicros, currency });
const option = (priceMicros: unknown, extra: object = {}) => ({
  license: LICENSE,
  price: price(priceMicros),
  ...extra,
});

test.each([
  ["missing", undefined],
  ["null", null],
  ["no list", "FULL_USE"],
  ["an object", { name: "FULL_USE" }],
  ["a list of which one cannot be read", [{ name: "FULL_USE" }, { title: "CITATION_REQUIRED" }]],
  ["a list with an empty name", [""]],
])("does not treat permissions as none when they are %s", (_, permissions) => {
  const listing = readPageRates([option(1, { license: { ...LICENSE, permissions } })]);
  expect(listing?.rates[0]?.license.permissions).toBeNull();
});

test("knows that a license has no permissions when the gateway says so", () => {
  const listing = readPageRates([option(1, { license: { ...LICENSE, permissions: [] } })]);
  expect(listing?.rates[0]?.license.permissions).toEqual([]);
});

test("reads a rate with all its parts", () => {
  const rate = option(1500, { error: "", license: { ...LICENSE, validUntil: "2026-02-01T00:00:00Z" } });
  expect(readPageRates([rate])).toEqual({
    rates: [
      {
        license: {
          licenseType: "ON_DEMAND_LICENSE",
          cuid: "l1",
          licensePath: "https://l.example/1",
          permissions: ["PARTIAL_USE", "CITATION_REQUIRED"],
        },
        price: { micros: 1500, currency: "USD" },
        error: null,
        validUntilAt: Date.UTC(2026, 1, 1),
      },
    ],
    unreadable: [],
  });
});

test.each([
  ["the smallest price, free", 0, true],
  ["the largest price that is believed", MAX_PRICE_MICROS, true],
  ["one more than that", MAX_PRICE_MICROS + 1, false],
  ["one more than can be counted", MAX + 1, false],
  ["a negative price", -1, false],
  ["a fraction", 0.5, false],
  ["a numeric text", "1500", false],
  ["null", null, false],
  ["an infinite price", Number.POSITIVE_INFINITY, false],
])("decides whether %s is a price", (_name, micros, isReadable) => {
  const listing = readPageRates([option(micros)]);
  expect([listing?.rates.length, listing?.unreadable.length]).toEqual(isReadable ? [1, 0] : [0, 1]);
});

test.each([
  ["usd", "USD"],
  ["USD", "USD"],
  ["US", null],
  ["", null],
  ["U$D", null],
  ["USD ", null],
  [840, null],
  [null, null],
])("decides whether %j is a currency", (currency, expected) => {
  const listing = readPageRates([{ license: LICENSE, price: price(1, currency) }]);
  expect(listing?.rates[0]?.price.currency ?? null).toBe(expected);
});

test("keeps the error of a rate, readable or not", () => {
  const listing = readPageRates([option(1, { error: "no such license" }), { error: "gone" }]);
  expect(listing?.rates[0]?.error).toBe("no such license");
  expect(listing?.unreadable).toEqual(["the price is missing; the gateway's message: gone"]);
});

test.each([
  ["gone", true],
  [{ code: 7 }, true],
  [["gone"], true],
  [true, true],
  [404, true],
  ["", false],
  [null, false],
  [undefined, false],
  [false, false],
])("a rate with the error %j is marked: %s", (error, isMarked) => {
  expect(readPageRates([option(1, { error })])?.rates[0]?.error !== null).toBe(isMarked);
});

test.each([["cuid"], ["id"], ["licenseId"]])("reads the license's identifier from %s", (field) => {
  const license = { licenseType: "CUSTOM_LICENSE", [field]: "c9" };
  expect(readPageRates([{ license, price: price(1) }])?.rates[0]?.license.cuid).toBe("c9");
  expect(readContent({ content: {}, rate: { license, price: price(1) } })).toMatchObject({
    rate: { license: { cuid: "c9" } },
  });
  const receipt = { url: "u", perUnitPriceMicros: 1, totalUsePriceMicros: 1, currency: "USD", license };
  expect(readReceipts([receipt])?.receipts[0]?.licenseCuid).toBe("c9");
});

test("matches bulk rates by URL, whatever their order, and leaves out what was not requested or not answered", () => {
  const urls = ["https://a.example/1", "https://a.example/2", "https://a.example/3"];
  const listings = readRatesBatch(
    [
      { url: urls[1], rates: [option(2)] },
      { url: "https://a.example/other", rates: [option(9)] },
      { rates: [option(8)] },
      "junk",
      { url: urls[0], rates: [option(1)] },
    ],
    urls,
  );
  expect([...(listings ?? [])].map(([url, { rates }]) => [url, rates[0]?.price.micros])).toEqual([
    [urls[1], 2],
    [urls[0], 1],
  ]);
});

test("finds the requested URL behind another spelling of it, under the requested key", () => {
  const asked = "https://Bücher.example/ä b?x=1";
  const answered = "https://xn--bcher-kva.example/%C3%A4%20b?x=1";
  const listings = readRatesBatch([{ url: answered, rates: [option(5)] }], [asked]);
  expect([...(listings?.keys() ?? [])]).toEqual([asked]);
});

test("joins the rates of a URL that comes twice, each once", () => {
  const url = "https://a.example/";
  const listings = readRatesBatch(
    [
      { url, rates: [option(1), option("x")] },
      { url, rates: [option(2), option(1), option("x"), option("5000")] },
    ],
    [url],
  );
  expect(listings?.get(url)?.rates.map((rate) => rate.price.micros)).toEqual([1, 2]);
  expect(listings?.get(url)?.unreadable).toEqual([
    'priceMicros is the text "x", not a whole number of micros of 0 or more',
    'priceMicros is the text "5000", not a whole number of micros of 0 or more',
  ]);
});

test("a page without rates is listed as not licensable, and rates that are not a list as unreadable", () => {
  const url = "https://a.example/";
  expect(readRatesBatch([{ url, rates: [] }], [url])?.get(url)).toEqual({ rates: [], unreadable: [] });
  expect(readRatesBatch([{ url, rates: null }], [url])?.get(url)).toEqual({ rates: [], unreadable: [] });
  expect(readRatesBatch([{ url, rates: "free!" }], [url])?.get(url)).toEqual({
    rates: [],
    unreadable: ["the rates are not a list"],
  });
  expect(readRatesBatch({ error: "x" }, [url])).toBeNull();
});

const NOTHING = { author: null, description: null, imageUrl: null, modified: null, published: null, title: null };

test.each([
  ["an empty object of content", { content: {} }],
  ["empty and null fields", { content: { header: "", body: null, footer: null }, metadata: { title: "" }, rate: null }],
  ["metadata of another kind", { content: { header: 7, body: "" }, metadata: ["x"], extra: true }],
])("treats %s as content with nothing in it", (_name, json) => {
  expect(readContent(json)).toEqual({
    header: null,
    body: "",
    footer: null,
    metadata: NOTHING,
    rate: null,
    rateUnreadable: null,
    license: null,
  });
});

test.each([
  ["no object", []],
  ["null", null],
  ["an error", { title: "no", status: 500 }],
  ["content that is a text", { content: "text" }],
  ["content that is a list", { content: [] }],
  ["a body that is not a text", { content: { body: { html: "" } } }],
])("does not treat %s as content", (_name, json) => {
  expect(readContent(json)).toEqual(expect.any(String));
});

test.each([
  [
    "a price that is a text",
    { price: price("5") },
    'priceMicros is the text "5", not a whole number of micros of 0 or more',
  ],
  ["a price without currency", { price: { priceMicros: 5 } }, "the currency is missing, not a code"],
  ["a rate that is a number", 5, "the rate is not an object"],
])("keeps the content whose charge came as %s, and reports it", (_name, rate, reason) => {
  expect(readContent({ content: { body: "paid" }, rate })).toMatchObject({
    body: "paid",
    rate: null,
    rateUnreadable: reason,
  });
});

test("reads receipts from a list and from an object, and counts those that prove nothing", () => {
  const receipt = { url: "u", perUnitPriceMicros: 2, totalUsePriceMicros: 6, currency: "usd", license: LICENSE };
  const junk = [
    { ...receipt, url: "" },
    { ...receipt, perUnitPriceMicros: "2" },
    { ...receipt, totalUsePriceMicros: -6 },
    { ...receipt, currency: undefined },
    null,
  ];
  const expected = {
    receipts: [
      {
        url: "u",
        perUnitPriceMicros: 2,
        totalUsePriceMicros: 6,
        currency: "USD",
        licenseType: "ON_DEMAND_LICENSE",
        licenseCuid: "l1",
        error: null,
      },
    ],
    unreadable: junk.length,
  };
  expect(readReceipts([receipt, ...junk])).toEqual(expected);
  expect(readReceipts({ receipts: [...junk, receipt] })).toEqual(expected);
  expect(readReceipts({ status: "ok" })).toBeNull();
});

test.each([
  ["a text", "not licensed", "not licensed"],
  ["an object", { message: "not licensed" }, "not licensed"],
  ["an object without words", { code: 7 }, "without words"],
  ["an empty text", "", null],
  ["false", false, null],
])("reads the error of a receipt: %s", (_what, error, expected) => {
  const receipt = { url: "u", perUnitPriceMicros: 0, totalUsePriceMicros: 0, currency: "USD", error };
  expect(readReceipts([receipt])?.receipts.map((one) => one.error)).toEqual([expected]);
});

const jwt = (claims: unknown) => `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;

test.each([
  ["an expiry that lies ahead", jwt({ exp: NOW / 1000 + 60 }), NOW + 60_000],
  ["an expiry in the past", jwt({ exp: NOW / 1000 - 1 }), NOW + TOKEN_LIFE_MS],
  ["an expiry in ms", jwt({ exp: NOW + 60_000 }), NOW + TOKEN_LIFE_MS],
  ["no expiry", jwt({}), NOW + TOKEN_LIFE_MS],
  ["an expiry that is a text", jwt({ exp: "soon" }), NOW + TOKEN_LIFE_MS],
  ["an opaque token", "abc", NOW + TOKEN_LIFE_MS],
  ["dots and no claims", "a.%%%.c", NOW + TOKEN_LIFE_MS],
])("a token with %s", (_name, token, expiresAt) => {
  expect(readToken({ token }, NOW)).toEqual({ token, expiresAt });
});

test.each([
  ["an empty one", ""],
  ["one with a line break", "a\r\nb"],
  ["one with a space", "a b"],
  ["one that is not ASCII", "tökén"],
  ["one longer than any header", "a".repeat(8193)],
  ["a number", 7],
])("does not accept %s as a token", (_name, token) => {
  expect(readToken({ token }, NOW)).toBeNull();
});

test("no JSON makes a reader throw, and every amount that was read can be counted", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      readCatalogPage(json);
      readHistoryPage(json);
      readReceipts(json);
      readToken(json, NOW);
      readContent({ content: {}, metadata: json, rate: json });
      readContent(json);
      const listing = readPageRates([json, { license: json, price: json }, { license: LICENSE, price: price(json) }]);
      for (const rate of listing?.rates ?? []) {
        expect(Number.isSafeInteger(rate.price.micros) && rate.price.micros >= 0).toBe(true);
      }
      expect((listing?.rates.length ?? 0) + (listing?.unreadable.length ?? 0)).toBe(3);
      readRatesBatch(json, ["https://a.example/"]);
    }),
  );
});

test("treats a rate without a price as no information about the charge, and keeps its license", () => {
  const rate = { license: { id: "lic-1", licenseType: "ON_DEMAND_LICENSE" } };
  expect(readContent({ content: { body: "paid" }, rate })).toMatchObject({
    rate: null,
    rateUnreadable: null,
    license: { licenseType: "ON_DEMAND_LICENSE", cuid: "lic-1" },
  });
});
