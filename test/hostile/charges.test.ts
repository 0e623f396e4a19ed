import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FIRST_PAGES } from "../../src/pipeline/acquire/slow-start.ts";
import { HANG_UP, honestRate, RawAnswer } from "./hostile-gateway.ts";
import { anyJson, NASTY_NUMBERS, nastyText, rawNumber, toRawJson, worlds } from "./hostile-values.ts";
import { createHostileWorld, type HostileWorld, pageUrls, type WorldOptions } from "./hostile-world.ts";

const MAX = Number.MAX_SAFE_INTEGER;
const QUOTED = 1_000;

async function inWorld(
  count: number,
  work: (world: HostileWorld, pages: readonly string[]) => Promise<void>,
  options: Omit<WorldOptions, "pages"> = {},
): Promise<void> {
  const pages = pageUrls(count);
  const world = await createHostileWorld({ pages, ...options });
  try {
    await work(world, pages);
  } finally {
    await world.close();
  }
}

/** Answers each page's content request with the page's entry. The gateway has charged by then. */
function answerContent({ gateway }: HostileWorld, pages: readonly string[], answers: readonly unknown[]): void {
  gateway.twists.content = (honest, { page }) => {
    const answer = answers[pages.indexOf(page)];
    // Only the first time: a repeated used token is refused.
    return honest instanceof RawAnswer || answer === undefined ? honest : answer;
  };
}

const json = (value: unknown) => new RawAnswer(200, toRawJson(value));
const charged = (rate: unknown) => json({ content: { body: "paid" }, rate });
const priced = (priceMicros: unknown, currency: unknown = "USD") => charged({ price: { priceMicros, currency } });

type Charge = readonly [name: string, answer: RawAnswer, micros: number, currency: string];

/** What may come for a page that was charged 1,000 micros, and what it is settled at. */
const CHARGES: readonly Charge[] = [
  ["the quoted price", priced(QUOTED), QUOTED, "USD"],
  ["less", priced(1), 1, "USD"],
  ["nothing", priced(0), 0, "USD"],
  ["no rate", json({ content: { body: "paid" } }), QUOTED, "USD"],
  ["a rate without a price", charged({}), QUOTED, "USD"],
  ["nothing in another currency", priced(0, "EUR"), 0, "EUR"],
];

/** Charges that cannot be read or are not plausible: the quote counts, and the site is stopped. */
const UNREADABLE: readonly Charge[] = [
  ...NASTY_NUMBERS.filter((digits) => digits !== "-0").map(
    (digits) => [digits, priced(rawNumber(digits)), QUOTED, "USD"] as const,
  ),
  ["a text", priced("5"), QUOTED, "USD"],
  ["no currency", priced(5, null), QUOTED, "USD"],
  ["a text that is the quote", priced("1000"), QUOTED, "USD"],
  ["a rate that is a list", charged([honestRate()]), QUOTED, "USD"],
];

test("a charge is booked as it is given, and at the quoted price if it is missing", () =>
  inWorld(CHARGES.length, async (world, pages) => {
    answerContent(
      world,
      pages,
      CHARGES.map(([, answer]) => answer),
    );
    expect(await world.run()).toMatchObject({ state: "completed", pages: { bought: CHARGES.length } });
    const ends = world.ends();
    expect(
      pages.map((page, index) => [CHARGES[index]?.[0], ends.get(page)?.charged, ends.get(page)?.currency]),
    ).toEqual(CHARGES.map(([name, , micros, currency]) => [name, micros, currency]));
    expect(world.query("SELECT DISTINCT markdown FROM content")).toEqual([{ markdown: "paid" }]);
    expect(await world.audit()).toEqual([]);
  }));

test.each(UNREADABLE)(
  "a charge that comes as %s does not cost the content: the quoted price counts, and no run buys from the site until the item is closed",
  (_name, answer, micros, currency) =>
    inWorld(20, async (world) => {
      world.gateway.twists.content = (honest) => (honest instanceof RawAnswer ? honest : answer);
      expect(await world.run()).toMatchObject({ state: "completed", sites: [{ stop: "charge_unreadable" }] });
      const settled = [...world.ends().values()].filter(({ state }) => state === "settled");
      expect(settled.length).toBe(world.gateway.charges.length);
      // Those that were under way: a site has to show first what it charges.
      expect(settled.length).toBeLessThanOrEqual(FIRST_PAGES);
      expect(settled.map((end) => [end.charged, end.currency])).toEqual(settled.map(() => [micros, currency]));
      expect(world.query("SELECT DISTINCT markdown FROM content")).toEqual([{ markdown: "paid" }]);
      expect(await world.run()).toMatchObject({ sites: [{ stop: "charge_unreadable", bought: 0 }] });
      expect(world.gateway.charges.length).toBe(settled.length);
      expect(await world.audit()).toEqual([]);
    }),
);

describe("a charge above the cap stops the site, and everything that was paid for is kept", () => {
  test.each([
    ["a micro more", QUOTED + 1, "USD", QUOTED + 1, "overcharged"],
    ["the most that is believed", 10 ** 12, "USD", 10 ** 12, "overcharged"],
    ["a micro more than is believed", 10 ** 12 + 1, "USD", QUOTED, "charge_unreadable"],
    ["the most that can be counted", MAX, "USD", QUOTED, "charge_unreadable"],
    ["another currency", 5, "EUR", 5, "overcharged"],
    ["the most that can be counted, in another currency", MAX, "EUR", QUOTED, "charge_unreadable"],
  ])("%s", (_, micros, currency, booked, stop) =>
    inWorld(
      60,
      async (world, pages) => {
        answerContent(
          world,
          pages,
          pages.map(() => priced(micros, currency)),
        );
        const report = await world.run();
        expect(report).toMatchObject({ sites: [{ stop }] });
        const settled = [...world.ends().values()].filter(({ state }) => state === "settled");
        expect(settled.length).toBe(world.gateway.charges.length);
        expect(settled.length).toBeGreaterThan(0);
        // What was under way when the first one came, and nothing that was started after it.
        expect(settled.length).toBeLessThan(pages.length);
        expect(settled.every(({ charged: said }) => said === booked)).toBe(true);
        const [stored] = world.query<{ count: number }>(
          "SELECT count(*) AS count FROM content WHERE markdown = 'paid'",
        );
        expect(stored?.count).toBe(settled.length);
        expect((await world.audit()).filter((violation) => !/above|over|limit/.test(violation))).toEqual([]);
      },
      {
        config: { policies: { standard: { rules: [{ allow: {} }] } } },
        gateway: { concurrency: 1, fee: { percent: 100 } },
      },
    ),
  );
});

const BIG = 3_000_000;
/** Answers without content although the page was charged: in doubt, because no request can find out more. */
const UNUSABLE: readonly (readonly [name: string, answer: unknown])[] = [
  ["nothing", new RawAnswer(200)],
  ["no JSON", new RawAnswer(200, "<html>paid</html>")],
  ["JSON cut short", new RawAnswer(200, '{"content": {"body": "pa')],
  ["an error sent as a success", json({ title: "no", status: 500 })],
  ["a list", json([{ content: { body: "x" } }])],
  ["content that is a text", json({ content: "paid" })],
  ["content that is a list", json({ content: [] })],
  ["a body that is a number", json({ content: { body: 7 } })],
  ["a body that is nested without end", new RawAnswer(200, `{"content": {"body": ${"[".repeat(50_000)}`)],
  ["more than is read", json({ content: { body: "x".repeat(BIG) } })],
  [
    "a bomb",
    new RawAnswer(200, gzipSync(`{"content": {"body": "${"x".repeat(BIG)}"}}`), { "content-encoding": "gzip" }),
  ],
  ["a coding that is a lie", new RawAnswer(200, "{}", { "content-encoding": "gzip" })],
  ["an unknown coding", new RawAnswer(200, "{}", { "content-encoding": "zstd, br" })],
  ["UTF-16 that claims UTF-8", new RawAnswer(200, Buffer.from('{"content": {}}', "utf16le"))],
  ["a page of a proxy", new RawAnswer(502, "<html><title>Bad gateway\u001b[31m</title></html>")],
  ["a hang-up", HANG_UP],
];

test("an answer without content leaves the page in doubt at its quoted price, charged once, and its neighbours are stored", () =>
  inWorld(
    UNUSABLE.length * 2,
    async (world, pages) => {
      answerContent(
        world,
        pages,
        pages.map((_, index) => (index % 2 === 0 ? UNUSABLE[index / 2]?.[1] : undefined)),
      );
      expect(await world.run()).toMatchObject({
        pages: { bought: UNUSABLE.length, inDoubt: UNUSABLE.length, failed: 0 },
      });
      const ends = world.ends();
      const bad = pages.filter((_, index) => index % 2 === 0);
      expect(bad.map((page, index) => [UNUSABLE[index]?.[0], ends.get(page)?.state, ends.get(page)?.reason])).toEqual(
        UNUSABLE.map(([name]) => [name, "in_doubt", "token_spent"]),
      );
      expect(world.gateway.charges.map(({ page }) => page).sort()).toEqual([...pages].sort());
      const [money] = world.query(
        "SELECT settled_micros, in_doubt_micros, reserved_micros FROM balance WHERE scope = 'all' AND period = 'total'",
      );
      const half = UNUSABLE.length * QUOTED;
      expect(money).toEqual({ settled_micros: half, in_doubt_micros: half, reserved_micros: 0 });
      expect(await world.audit()).toEqual([]);
      // A later run buys none of them again.
      await world.run();
      expect(world.gateway.charges).toHaveLength(pages.length);
    },
    { maxAnswerBytes: BIG },
  ));

/** Content and metadata of any kind, with what must be stored of it. */
const anyContent = fc.record({
  body: nastyText,
  header: fc.oneof(nastyText, anyJson),
  title: fc.oneof(nastyText, anyJson),
  extra: fc.dictionary(nastyText, anyJson, { maxKeys: 3 }),
});

test("whatever content and metadata contain, what was paid for is stored unchanged, and its hash matches", () =>
  fc.assert(
    fc.asyncProperty(fc.array(anyContent, { minLength: 1, maxLength: 8 }), (contents) =>
      inWorld(
        contents.length,
        async (world, pages) => {
          answerContent(
            world,
            pages,
            contents.map(({ body, header, title, extra }) =>
              json({
                ...extra,
                content: { ...extra, header, body },
                metadata: { title, author: title },
                rate: honestRate(),
              }),
            ),
          );
          expect(await world.run()).toMatchObject({ pages: { bought: contents.length } });
          const stored = world.query<{ url: string; markdown: string }>(
            "SELECT page.url, markdown FROM content JOIN page ON page.id = page_id",
          );
          const expected = contents.map(({ body }, index) => ({
            url: pages[index],
            markdown: body.replace(/\p{Surrogate}/gu, "\ufffd"),
          }));
          expect(new Map(stored.map(({ url, markdown }) => [url, markdown]))).toEqual(
            new Map(expected.map(({ url, markdown }) => [url, markdown])),
          );
          expect(await world.audit()).toEqual([]);
        },
        { config: { content: { minBytes: 0 } } },
      ),
    ),
    worlds(10),
  ));
