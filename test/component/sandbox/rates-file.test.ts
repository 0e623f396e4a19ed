import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRateSpread } from "../../../src/sandbox/pricing/rate-spread.ts";
import { loadRatesFile, parseRates } from "../../../src/sandbox/pricing/rates-file.ts";
import { call, KEY, startGateway } from "./gateway-caller.ts";

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "sandbox-rates-"));
});
afterEach(() => rm(dir, { recursive: true }));

const FILE = `
currency: EUR
licenses:
  standard: { type: ON_DEMAND_LICENSE }
  archive: { type: CUSTOM_LICENSE, cuid: archive-1, permissions: [FULL_USE], path: "https://news.example/license" }
rules:
  - { site: news.example, paths: ["/free/**"], rates: [{ license: standard, price: 0 }] }
  - { paths: ["/private/**"], rates: [] }
  - { site: news.example, rates: [{ license: standard, price: 0.002 }, { license: archive, price: "1.5 USD" }] }
default:
  - { license: ON_DEMAND_FULL_USE_LICENSE, priceMicros: 4000 }
`;

describe("a rates file", () => {
  test("gives each page the rates of the first rule that matches", async () => {
    const path = join(dir, "rates.yaml");
    await writeFile(path, FILE);
    const rules = await loadRatesFile(path);
    const pricesOf = (url: string) => rules(url)?.rates.map(({ priceMicros, currency }) => [priceMicros, currency]);
    expect(pricesOf("https://news.example/free/x/y")).toEqual([[0, "EUR"]]);
    expect(pricesOf("https://news.example/private/x")).toEqual([]);
    expect(pricesOf("https://other.example/private/x")).toEqual([]);
    expect(pricesOf("https://news.example/else")).toEqual([
      [2_000, "EUR"],
      [1_500_000, "USD"],
    ]);
    expect(pricesOf("https://other.example/else")).toEqual([[4_000, "EUR"]]);
    expect(rules("https://news.example/else")?.rates[1]).toMatchObject({
      licenseType: "CUSTOM_LICENSE",
      cuid: "archive-1",
      licensePath: "https://news.example/license",
      permissions: ["FULL_USE"],
    });
  });

  test("serves the gateway, and leaves pages without a rule to the default rates", async () => {
    const path = join(dir, "rates.yaml");
    await writeFile(
      path,
      "licenses: { s: { type: ON_DEMAND_LICENSE } }\nrules: [{ paths: [/x], rates: [{ license: s, price: 7 }] }]",
    );
    const gateway = await startGateway({
      ratesFile: path,
      sites: [{ host: "a.example", kind: "pages", pages: [{ url: "/x" }, { url: "/y" }] }],
    });
    const ratesOf = async (url: string) =>
      (await call(gateway, "GET", `/dev/v2/rates/${encodeURIComponent(url)}`, KEY)).text;
    expect(JSON.parse(await ratesOf("https://a.example/x"))[0].price.priceMicros).toBe(7_000_000);
    expect(await ratesOf("https://a.example/y")).toBe(createRateSpread()("https://a.example/y").singleJson);
    await gateway.close();
  });

  test.each([
    ["an unknown key", { rule: [] }, /rule/],
    ["an unknown licence", { default: [{ license: "none", price: 1 }] }, /default\[0\]: licence "none" is not known/],
    ["a licence type that there is not", { licenses: { a: { type: "FREE" } } }, /licenses\.a\.type/],
    [
      "a price beyond micros",
      { default: [{ license: "CUSTOM_LICENSE", price: 0.0000001 }] },
      /price "1e-7" is not an amount/,
    ],
    ["a negative price", { default: [{ license: "CUSTOM_LICENSE", price: -1 }] }, /not an amount/],
    ["a broken number of micros", { default: [{ license: "CUSTOM_LICENSE", priceMicros: 1.5 }] }, /priceMicros/],
    [
      "both prices",
      { default: [{ license: "CUSTOM_LICENSE", price: 1, priceMicros: 1 }] },
      /either price or priceMicros/,
    ],
    ["no price", { default: [{ license: "CUSTOM_LICENSE" }] }, /either price or priceMicros/],
    [
      "a bad currency",
      { currency: "euro", default: [{ license: "CUSTOM_LICENSE", price: 1 }] },
      /three capital letters/,
    ],
    ["a path that is none", { rules: [{ paths: ["x"], rates: [] }] }, /rules\[0\]\.paths\[0\]/],
    ["a list", [], /rates/],
  ])("with %s is refused, and the message says where", (_name, data, message) => {
    expect(() => parseRates(data)).toThrow(message);
  });

  test("that is missing or is not YAML is refused by name", async () => {
    const path = join(dir, "rates.yaml");
    await expect(loadRatesFile(path)).rejects.toThrow(path);
    await writeFile(path, "a: [");
    await expect(loadRatesFile(path)).rejects.toThrow(path);
  });
});

describe("the default rates", () => {
  const urls = Array.from({ length: 2_000 }, (_, index) => `https://news.example/p/${index}`);
  const sets = urls.map(createRateSpread());

  test("give a URL the same rates every time", () => {
    expect(urls.map(createRateSpread()).map(({ bulkJson }) => bulkJson)).toEqual(sets.map(({ bulkJson }) => bulkJson));
  });

  test("include free pages, pages that cannot be licensed, every license type, and citations", () => {
    const rates = sets.flatMap((set) => set.rates);
    const count = (matches: boolean[]) => matches.filter(Boolean).length;
    expect(count(sets.map((set) => set.rates.length === 0))).toBeGreaterThan(40);
    expect(count(rates.map(({ priceMicros }) => priceMicros === 0))).toBeGreaterThan(100);
    expect(new Set(rates.map(({ licenseType }) => licenseType)).size).toBe(3);
    expect(count(rates.map(({ permissions }) => permissions.includes("CITATION_REQUIRED")))).toBeGreaterThan(100);
    expect(new Set(rates.map(({ priceMicros }) => priceMicros)).size).toBeGreaterThan(30);
    expect(new Set(rates.map(({ currency }) => currency))).toEqual(new Set(["USD"]));
  });
});
