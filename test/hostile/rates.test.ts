import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { honestRate, LICENSE, RawAnswer } from "./hostile-gateway.ts";
import { anyJson, NASTY_NUMBERS, nastyText, rawNumber, toRawJson, worlds } from "./hostile-values.ts";
import { createHostileWorld, type HostileWorld, pageUrls } from "./hostile-world.ts";

const MAX = Number.MAX_SAFE_INTEGER;
const priced = (priceMicros: unknown, currency: unknown = "USD") => ({
  price: { priceMicros, currency },
  license: LICENSE,
});
const licensed = (license: unknown) => ({ ...honestRate(), license });
const erring = (error: unknown) => ({ ...honestRate(), error });

const BOUGHT = "settled";
/** What a page lists, and how it must end: bought at 1,000 micros, or denied with a reason. */
const LISTINGS: readonly (readonly [name: string, rates: unknown, end: string])[] = [
  ["a rate", [honestRate()], BOUGHT],
  ...NASTY_NUMBERS.filter((digits) => digits !== "-0").map(
    (digits) => [`a price of ${digits}`, [priced(rawNumber(digits))], "no_usable_rate"] as const,
  ),
  ["a price of -1 beside a good one", [priced(-1), honestRate()], BOUGHT],
  ["a price that is a text", [priced("1000")], "no_usable_rate"],
  ["a price that is a list", [priced([1000])], "no_usable_rate"],
  ["a price that is true", [priced(true)], "no_usable_rate"],
  ["a price of null", [priced(null)], "no_usable_rate"],
  ["no price", [{ license: LICENSE }], "no_usable_rate"],
  ["an unknown currency", [priced(1_000, "XYZ")], "no_budget_in_currency"],
  ["a currency that is a prototype's", [priced(1_000, "constructor")], "no_budget_in_currency"],
  ["a currency that is not a code", [priced(1_000, "US$")], "no_usable_rate"],
  ["a currency in other letters", [priced(1_000, "ＵＳＤ")], "no_usable_rate"],
  ["no currency", [priced(1_000, null)], "no_usable_rate"],
  ["an unknown licence type", [licensed({ ...LICENSE, licenseType: "FREE_FOR_ALL" })], "no_usable_rate"],
  ["a licence type of a prototype", [licensed({ ...LICENSE, licenseType: "__proto__" })], "no_usable_rate"],
  ["a licence type that is a list", [licensed({ ...LICENSE, licenseType: ["ON_DEMAND_LICENSE"] })], "no_usable_rate"],
  ["a custom licence without id", [licensed({ licenseType: "CUSTOM_LICENSE" })], "no_usable_rate"],
  ["no licence", [{ price: honestRate().price }], "no_usable_rate"],
  ["an expired licence", [licensed({ ...LICENSE, validUntil: "2001-01-01" })], "no_usable_rate"],
  ["a licence valid for ever", [licensed({ ...LICENSE, validUntil: "+275760-09-13T00:00:00Z" })], BOUGHT],
  ["a licence valid until nonsense", [licensed({ ...LICENSE, validUntil: "\u001b[2J" })], BOUGHT],
  ["unknown permissions", [licensed({ ...LICENSE, permissions: [{ name: "FLY" }, { name: 7 }, null, "X"] })], BOUGHT],
  ["permissions that are not a list", [licensed({ ...LICENSE, permissions: "FULL_USE" })], BOUGHT],
  ["an error", [erring("not for you")], "no_usable_rate"],
  ["an error that is an object", [erring({ code: 7 })], "no_usable_rate"],
  ["an error nested without end", [erring(nested(20_000))], "no_usable_rate"],
  ["the same rate a thousand times", Array(1_000).fill(honestRate()), BOUGHT],
  ["rates that are not a list", { 0: honestRate() }, "no_usable_rate"],
  ["rates that are a text", "free", "no_usable_rate"],
  ["an empty list", [], "not_licensable"],
  ["null", null, "not_licensable"],
  ["rates that are null and lists", [null, [], [[]], 7], "no_usable_rate"],
];

/** As deep as that, as JSON: nothing that walks down it by calling itself comes back. */
function nested(depth: number): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < depth; level++) {
    value = [value];
  }
  return value;
}

async function inWorld(
  count: number,
  config: Record<string, unknown>,
  work: (world: HostileWorld, pages: readonly string[]) => Promise<void>,
  gateway: Record<string, unknown> = {},
): Promise<void> {
  const pages = pageUrls(count);
  const world = await createHostileWorld({ pages, config, gateway });
  try {
    await work(world, pages);
  } finally {
    await world.close();
  }
}

/** Sends these listings for the pages, in their order; deep ones are written by hand, since JSON.stringify calls itself. */
function listRates({ gateway }: HostileWorld, pages: readonly string[], listings: readonly unknown[]): void {
  const deepText = `${"[".repeat(20_000)}"deep"${"]".repeat(20_000)}`;
  const written = listings.map((rates) =>
    isDeep(rates) ? toRawJson([erring("@deep")]).replace('"@deep"', deepText) : toRawJson(rates),
  );
  gateway.twists.rates = (_, { json }) => {
    const { urls } = json as { urls: string[] };
    const entries = urls.map((url) => `{"url": ${JSON.stringify(url)}, "rates": ${written[pages.indexOf(url)]}}`);
    return new RawAnswer(200, `[${entries.join(",")}]`);
  };
}

function isDeep(rates: unknown): boolean {
  const error = Array.isArray(rates) ? rates[0]?.error : null;
  return Array.isArray(error);
}

test("each page ends according to its own rates, whatever the rates of its neighbours in the batch are", () =>
  inWorld(LISTINGS.length, {}, async (world, pages) => {
    listRates(
      world,
      pages,
      LISTINGS.map(([, rates]) => rates),
    );
    expect(await world.run()).toMatchObject({ state: "completed" });
    const ends = world.ends();
    const got = pages.map((page, index) => {
      const end = ends.get(page);
      return [LISTINGS[index]?.[0], end?.state === "denied" ? end.reason : end?.state];
    });
    expect(got).toEqual(LISTINGS.map(([name, , end]) => [name, end]));
    expect(world.gateway.charges.every(({ micros }) => micros === 1_000)).toBe(true);
    expect(await world.audit()).toEqual([]);
  }));

describe("prices that are too large to count", () => {
  const DEAR = [MAX, MAX - 1, 2 ** 52, 10 ** 15, 10 ** 12 + 1];
  const CHEAP = 4;
  test.each([
    ["as they are", {}, {}],
    ["with a fee", {}, { fee: { percent: 100, fixed: "1000000 USD" } }],
    ["with the fetch billed again", { reporting: { billed: ["fetch", "use"] } }, {}],
    ["with both", { reporting: { billed: ["fetch", "use"] } }, { fee: { percent: 99.9999 } }],
  ])("%s: are not offers, and the pages beside them are bought", (_, config, gateway) =>
    inWorld(
      DEAR.length + CHEAP,
      { ...config, budgets: [{ scope: "all", per: "total", limit: "9007199254.740991 USD" }] },
      async (world, pages) => {
        listRates(
          world,
          pages,
          pages.map((__, index) => [priced(DEAR[index] ?? 1_000)]),
        );
        expect(await world.run()).toMatchObject({ state: "completed", denials: { no_usable_rate: DEAR.length } });
        // Several are under way at once: their order is not decided.
        const charges = world.gateway.charges.toSorted((a, b) => a.page.localeCompare(b.page));
        expect(charges).toEqual(pages.slice(DEAR.length).map((page) => ({ page, micros: 1_000 })));
        expect(await world.audit()).toEqual([]);
      },
      gateway,
    ),
  );

  test("the highest plausible price is bought if the budget has it, and ends the run if not", () =>
    inWorld(2, { budgets: [{ scope: "all", per: "total", limit: "1000000 USD" }] }, async (world, pages) => {
      listRates(
        world,
        pages,
        pages.map(() => [priced(10 ** 12)]),
      );
      expect(await world.run()).toMatchObject({ state: "budget_exhausted", pages: { bought: 1 } });
      expect(world.gateway.charges).toHaveLength(1);
      expect(await world.audit()).toEqual([]);
    }));
});

describe("rates that were not requested, or that do not come", () => {
  test("belong to no page: each page has its own, once, and one that is left out is denied alone", () =>
    inWorld(6, {}, async (world, pages) => {
      world.gateway.twists.rates = (honest) => {
        const [first, second, , ...rest] = honest as { url: string; rates: unknown[] }[];
        return [
          { url: "https://evil.example/", rates: [priced(0)] },
          { url: "https://news.example/p/2x", rates: [priced(0)] },
          { url: "javascript:alert(1)", rates: [priced(0)] },
          { rates: [priced(0)] },
          { url: 7, rates: [priced(0)] },
          null,
          ...rest.reverse(),
          second,
          first,
          { ...first, rates: [priced(2_000)] },
        ];
      };
      expect(await world.run()).toMatchObject({ state: "completed", denials: { not_quoted: 1 } });
      expect(world.ends().get(pages[2] as string)).toMatchObject({ state: "denied", reason: "not_quoted" });
      expect(world.gateway.charges.map(({ micros }) => micros)).toEqual(Array(5).fill(1_000));
      expect(await world.audit()).toEqual([]);
    }));

  test.each([
    ["a URL with a new rate fifty thousand times", 50_000, (index: number) => [priced(index + 1_000)], 1],
    ["two hundred thousand permissions", 1, () => [licensed({ ...LICENSE, permissions: manyPermissions() })], 1],
  ])("%s: are read quickly", (_, repeats, ratesOf, bought) =>
    inWorld(1, {}, async (world) => {
      world.gateway.twists.rates = (honest) => {
        const [first] = honest as object[];
        return Array.from({ length: repeats }, (__, index) => ({ ...first, rates: ratesOf(index) }));
      };
      const before = process.cpuUsage();
      await world.run();
      const { user } = process.cpuUsage(before);
      // Far above what it needs, and far below what a step that looks at all others for each one takes.
      expect(user / 1_000_000).toBeLessThan(20);
      expect(world.gateway.charges).toHaveLength(bought);
      expect(world.gateway.charges[0]?.micros).toBe(1_000);
    }),
  );
});

const manyPermissions = () => Array.from({ length: 200_000 }, (_, index) => ({ name: `P${index}` }));

/** A rate with its own verdict beside it: what it would cost, or null when it cannot be bought. */
const anyRate = fc.oneof(
  fc
    .integer({ min: 0, max: 5_000 })
    .map((micros) => ({ rate: priced(micros) as unknown, costs: micros as number | null })),
  fc
    .constantFrom(...NASTY_NUMBERS.slice(2))
    .map((digits) => ({ rate: priced(rawNumber(digits)) as unknown, costs: null })),
  nastyText
    .filter((text) => !/^[A-Za-z]{3,12}$/.test(text))
    .map((currency) => ({ rate: priced(7, currency) as unknown, costs: null })),
  nastyText
    .filter((text) => text !== "")
    .map((licenseType) => ({ rate: licensed({ ...LICENSE, licenseType }) as unknown, costs: null })),
  nastyText.filter((text) => text !== "").map((error) => ({ rate: erring(error) as unknown, costs: null })),
  anyJson.map((rate) => ({ rate, costs: null })),
  nastyText.map((cuid) => ({
    rate: { ...priced(3), license: { ...LICENSE, cuid, licensePath: cuid } } as unknown,
    costs: 3,
  })),
);

test("whatever rates a page lists, it is bought at the cheapest that can be bought, or denied", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.array(anyRate, { maxLength: 5 }), { minLength: 1, maxLength: 10 }), (listings) =>
      inWorld(listings.length, {}, async (world, pages) => {
        listRates(
          world,
          pages,
          listings.map((rates) => rates.map(({ rate }) => rate)),
        );
        await world.run();
        const ends = world.ends();
        for (const [index, page] of pages.entries()) {
          const costs = (listings[index] ?? []).flatMap(({ costs }) => (costs === null ? [] : [costs]));
          const end = ends.get(page);
          const expected =
            costs.length === 0
              ? { state: "denied", charged: null }
              : { state: "settled", quoted: Math.min(...costs), charged: Math.min(...costs) };
          expect(end).toMatchObject(expected);
        }
        expect(await world.audit()).toEqual([]);
      }),
    ),
    worlds(12),
  ));
