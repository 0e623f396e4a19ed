import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LICENSE, PRICE_MICROS, RawAnswer } from "./hostile-gateway.ts";
import { anyJson, NASTY_NUMBERS, nastyText, rawNumber, toRawJson, worlds } from "./hostile-values.ts";
import { createHostileWorld, type HostileWorld, pageUrls, type WorldOptions } from "./hostile-world.ts";

const COUNT = 5;
const MAX = Number.MAX_SAFE_INTEGER;
const BILLED = { reporting: { kinds: ["fetch", "use"], billed: ["fetch", "use"] } };

type Receipt = Record<string, unknown>;

async function inWorld(
  work: (world: HostileWorld, pages: readonly string[]) => Promise<void>,
  options: Omit<WorldOptions, "pages"> = { config: BILLED },
): Promise<void> {
  const pages = pageUrls(COUNT);
  const world = await createHostileWorld({ pages, ...options });
  try {
    await work(world, pages);
  } finally {
    await world.close();
  }
}

function answerReceipts({ gateway }: HostileWorld, change: (receipts: Receipt[]) => unknown): void {
  gateway.twists.report = (honest) => {
    const changed = change(honest as Receipt[]);
    return changed instanceof RawAnswer ? changed : new RawAnswer(200, toRawJson(changed));
  };
}

/** Every use was reported once and is settled, and each report only ever had one body. */
async function expectReportedOnce({ gateway, query, report, status }: HostileWorld): Promise<void> {
  const { size } = gateway.reports;
  expect((await status()).usage).toMatchObject({ recorded: COUNT, reported: COUNT, pending: 0 });
  expect(query("SELECT DISTINCT state FROM use")).toEqual([{ state: "settled" }]);
  expect([...gateway.reports.values()].map((bodies) => new Set(bodies).size)).toEqual([1]);
  // There is nothing left to report.
  await report();
  expect(gateway.reports.size).toBe(size);
}

/** One report, so one open item of each kind, with the number of its receipts. */
const itemCounts = async ({ status }: HostileWorld) =>
  (await status()).openItems.map(({ kind, count }) => [kind, count] as const);

const reservedAndSettled = ({ query }: HostileWorld) =>
  query<{ reserved: number; settled: number }>(
    "SELECT reserved_micros AS reserved, settled_micros AS settled FROM balance WHERE scope = 'all' AND period = 'total' AND currency = 'USD'",
  )[0];

const FETCHED = COUNT * PRICE_MICROS;
const EXPECTED = COUNT * PRICE_MICROS;

/** What comes for five uses at 1,000 micros each; what they are booked at, and what is left for a person to look at. */
const ANSWERS: readonly (readonly [
  name: string,
  change: (receipts: Receipt[]) => unknown,
  booked: number,
  items: readonly (readonly [kind: string, count: number])[],
])[] = [
  ["in another order", (all) => all.reverse(), EXPECTED, []],
  ["in an object", (all) => ({ receipts: all }), EXPECTED, []],
  ["one too few", (all) => all.slice(1), EXPECTED, [["missing_receipt", 1]]],
  ["none at all", () => [], EXPECTED, [["missing_receipt", COUNT]]],
  ["one twice", (all) => [...all, all[0]], EXPECTED, [["surplus_receipt", 1]]],
  ["all twice", (all) => [...all, ...all], EXPECTED, [["surplus_receipt", COUNT]]],
  ["a foreign URL", (all) => [...all, { ...all[0], url: "https://evil.example/" }], EXPECTED, [["surplus_receipt", 1]]],
  [
    "a script for a URL",
    ([first, ...rest]) => [{ ...first, url: "javascript:alert(1)" }, ...rest],
    EXPECTED,
    [
      ["missing_receipt", 1],
      ["surplus_receipt", 1],
    ],
  ],
  [
    "a wrong total",
    ([first, ...rest]) => [{ ...first, totalUsePriceMicros: 999 }, ...rest],
    EXPECTED - 1,
    [["wrong_total", 1]],
  ],
  [
    "a wrong unit price",
    ([first, ...rest]) => [{ ...first, perUnitPriceMicros: 7 }, ...rest],
    EXPECTED,
    [["wrong_total", 1]],
  ],
  [
    "a total above all",
    ([first, ...rest]) => [{ ...first, totalUsePriceMicros: MAX }, ...rest],
    EXPECTED,
    [["wrong_total", 1]],
  ],
  [
    "all totals above all",
    (all) => all.map((one) => ({ ...one, perUnitPriceMicros: MAX, totalUsePriceMicros: MAX })),
    EXPECTED,
    [["wrong_total", COUNT]],
  ],
  [
    "an error and no price",
    ([first, ...rest]) => [
      { ...first, perUnitPriceMicros: 0, totalUsePriceMicros: 0, error: "not licensed for this use" },
      ...rest,
    ],
    EXPECTED - PRICE_MICROS,
    [["receipt_error", 1]],
  ],
  ["an empty error", ([first, ...rest]) => [{ ...first, error: "" }, ...rest], EXPECTED, []],
  [
    "another licence type",
    ([first, ...rest]) => [{ ...first, license: { ...LICENSE, licenseType: "CUSTOM_LICENSE" } }, ...rest],
    EXPECTED,
    [
      ["missing_receipt", 1],
      ["surplus_receipt", 1],
    ],
  ],
  [
    "no licence",
    ([first, ...rest]) => [{ ...first, license: null }, ...rest],
    EXPECTED,
    [
      ["missing_receipt", 1],
      ["surplus_receipt", 1],
    ],
  ],
  [
    "another currency",
    ([first, ...rest]) => [{ ...first, currency: "XYZ" }, ...rest],
    EXPECTED - PRICE_MICROS,
    [["wrong_currency", 1]],
  ],
  [
    "no currency",
    ([first, ...rest]) => [{ ...first, currency: null }, ...rest],
    EXPECTED,
    [
      ["missing_receipt", 1],
      ["surplus_receipt", 1],
    ],
  ],
  [
    "a text for a total",
    ([first, ...rest]) => [{ ...first, totalUsePriceMicros: "1000" }, ...rest],
    EXPECTED,
    [
      ["missing_receipt", 1],
      ["surplus_receipt", 1],
    ],
  ],
  ["null among them", (all) => [null, ...all, 7, "x", []], EXPECTED, [["surplus_receipt", 4]]],
  ...NASTY_NUMBERS.filter((digits) => digits !== "-0").map(
    (digits) =>
      [
        `a total of ${digits}`,
        ([first, ...rest]: Receipt[]) => [{ ...first, totalUsePriceMicros: rawNumber(digits) }, ...rest],
        EXPECTED,
        [
          ["missing_receipt", 1],
          ["surplus_receipt", 1],
        ],
      ] as const,
  ),
];

describe("whatever receipts come, each use is reported once, booked once, and what does not match is listed", () => {
  test.each(ANSWERS)("%s", (_, change, booked, items) =>
    inWorld(async (world) => {
      answerReceipts(world, change);
      expect(await world.run()).toMatchObject({ state: "completed", usage: { reported: COUNT, pending: 0 } });
      expect((await itemCounts(world)).sort()).toEqual([...items].sort());
      expect(reservedAndSettled(world)).toEqual({ reserved: 0, settled: FETCHED + booked });
      await expectReportedOnce(world);
      const violations = await world.audit();
      expect(violations.filter((violation) => !violation.startsWith("5: "))).toEqual([]);
    }),
  );

  test("a hundred thousand surplus receipts", () =>
    inWorld(async (world) => {
      answerReceipts(world, (all) => [...Array(20_000).fill(all).flat()]);
      expect(await world.run()).toMatchObject({ state: "completed" });
      await expectReportedOnce(world);
      expect(reservedAndSettled(world)).toEqual({ reserved: 0, settled: FETCHED + EXPECTED });
    }));

  test("any JSON", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            anyJson,
            fc.dictionary(
              fc.constantFrom("url", "currency", "totalUsePriceMicros", "perUnitPriceMicros", "license"),
              fc.oneof(anyJson, nastyText, fc.integer()),
            ),
          ),
          { maxLength: 6 },
        ),
        fc.boolean(),
        (junk, keepsOwn) =>
          inWorld(async (world) => {
            answerReceipts(world, (all) => (keepsOwn ? [...junk, ...all] : junk));
            await world.run();
            await expectReportedOnce(world);
            // At most what the receipts that fit say: here, nothing but the expected price fits.
            expect(reservedAndSettled(world)).toEqual({ reserved: 0, settled: FETCHED + EXPECTED });
          }),
      ),
      worlds(10),
    ));
});

describe("an answer without any receipts leaves the report as it is: the same bytes are sent until there are some", () => {
  test.each([
    ["an error sent as a success", new RawAnswer(200, '{"status": "ok"}')],
    ["a text", new RawAnswer(200, '"thanks"')],
    ["nothing", new RawAnswer(204)],
    ["JSON cut short", new RawAnswer(200, '[{"url":')],
    ["receipts that are not a list", new RawAnswer(200, '{"receipts": {"0": {}}}')],
    ["a redirect", new RawAnswer(308, "", { location: "https://evil.example/" })],
  ])("%s", (_, answer) =>
    inWorld(async (world) => {
      answerReceipts(world, () => answer);
      expect(await world.run()).toMatchObject({ usage: { reported: 0, pending: COUNT } });
      answerReceipts(world, (all) => all);
      await world.report();
      await expectReportedOnce(world);
      expect(await world.audit()).toEqual([]);
    }),
  );
});
