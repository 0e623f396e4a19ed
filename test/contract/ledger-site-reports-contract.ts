/** What stands about sites and days: spend, denials, prices. */
import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { buyPages, createContent, NO_LIMIT, NOON, reservePages, startPages } from "../doubles/ledger-shop.ts";

const DAY_MS = 86_400_000;
const OTHER_HOST = "shop.example";
const NOTHING = { settledMicros: 0, feeMicros: 0, inDoubtMicros: 0, reservedMicros: 0, bought: 0, failed: 0 };

export function describeSiteReports(open: () => Promise<Ledger>): void {
  describe("readDays", () => {
    it("has each day that cost something, and what each site cost in these days", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_0", paths: ["/before"], at: NOON - 2 * DAY_MS });
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"], feeMicros: 250 });
      const euros = { currency: "EUR", budgets: [{ ...NO_LIMIT, currency: "EUR" }] };
      await buyPages(ledger, { runId: "run_2", paths: ["/c"], host: OTHER_HOST, at: NOON + DAY_MS, ...euros });
      await startPages(ledger, { runId: "run_3", paths: ["/d"], at: NOON + DAY_MS });
      await buyPages(ledger, { runId: "run_4", paths: ["/after"], at: NOON + 2 * DAY_MS });
      const first = { ...NOTHING, settledMicros: 20_000, feeMicros: 500, bought: 2, currency: "USD" };
      const eur = { ...NOTHING, settledMicros: 10_000, bought: 1, currency: "EUR" };
      const underWay = { ...NOTHING, reservedMicros: 10_000, currency: "USD" };
      const days = { firstDay: "2026-11-19", lastDay: "2026-11-21" };
      expect(await ledger.readDays({ ...days, host: null })).toEqual({
        days: [
          { day: "2026-11-20", ...first },
          { day: "2026-11-21", ...eur },
          { day: "2026-11-21", ...underWay },
        ],
        sites: [
          { host: "news.example", ...first, reservedMicros: 10_000 },
          { host: OTHER_HOST, ...eur },
        ],
      });
      expect(await ledger.readDays({ ...days, host: OTHER_HOST })).toEqual({
        days: [{ day: "2026-11-21", ...eur }],
        sites: [{ host: OTHER_HOST, ...eur }],
      });
    });
  });

  describe("readSites", () => {
    const readAll = (ledger: Ledger) => ledger.readSites({ host: null, after: "", limit: 9 });

    it("says of each site what is stored, what it cost, and which run and which walk were the last", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"], feeMicros: 250 });
      await buyPages(ledger, { runId: "run_2", paths: ["/a"], at: NOON + DAY_MS });
      await startPages(ledger, { runId: "run_3", host: OTHER_HOST, paths: ["/x"] });
      const [first, second, ...others] = await readAll(ledger);
      expect(others).toEqual([]);
      expect(first).toMatchObject({
        host: "news.example",
        stored: { pages: 2, isAtLeast: false },
        newestStoredAt: NOON + DAY_MS,
        oldestStoredAt: NOON,
        spend: { USD: { settledMicros: 30_000, feeMicros: 500 } },
        stop: null,
        lastRun: { runId: "run_2", state: "completed", stop: null },
        lastWalk: { runId: "run_2" },
      });
      expect(second).toMatchObject({
        host: OTHER_HOST,
        stored: { pages: 0, isAtLeast: false },
        newestStoredAt: null,
        spend: { USD: { settledMicros: 0, reservedMicros: 10_000 } },
        lastRun: { runId: "run_3", state: "running", endedAt: null },
      });
      expect(await ledger.readSites({ host: null, after: "news.example", limit: 9 })).toEqual([second]);
      expect(await ledger.readSites({ host: null, after: "", limit: 1 })).toEqual([first]);
      expect(await ledger.readSites({ host: OTHER_HOST, after: "", limit: 1 })).toEqual([second]);
      expect(await ledger.readSites({ host: "none.example", after: "", limit: 1 })).toEqual([]);
    });

    it("says what stops a site until a person has looked at it", async () => {
      const ledger = await open();
      const [page] = await startPages(ledger);
      await ledger.settlePurchase({
        purchaseId: page?.purchaseId ?? 0,
        now: NOON,
        charge: { micros: toMicros(90_000), currency: "USD" },
        feeMicros: toMicros(0),
        content: createContent("https://news.example/a"),
        requestId: null,
        flaws: [],
        isEmpty: false,
      });
      const [site] = await readAll(ledger);
      expect(site?.stop).toMatchObject({ stop: "overcharged", detail: expect.stringContaining("--close") });
    });
  });

  describe("readAges", () => {
    it("counts each stored page in one age", async () => {
      const ledger = await open();
      for (const [index, age] of [0, 1, 2, 10].entries()) {
        await buyPages(ledger, { runId: `run_${index}`, paths: [`/${age}`], at: NOON + (20 - age) * DAY_MS });
      }
      const asked = {
        now: NOON + 20 * DAY_MS,
        agesMs: [2 * DAY_MS, 5 * DAY_MS],
        total: { pages: 4, isAtLeast: false },
      };
      const counted = (pages: number) => ({ pages, isAtLeast: false });
      expect(await ledger.readAges({ host: "news.example", ...asked })).toEqual([2, 1, 1].map(counted));
      expect(await ledger.readAges({ host: OTHER_HOST, ...asked })).toEqual([0, 0, 0].map(counted));
    });
  });

  describe("readQuoted", () => {
    it("has each quoted page once, as the newest run decided it, with its rates", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"], priceMicros: 10_000 });
      const listing = { rates: [], unreadable: ["a price of -1"] };
      await reservePages(ledger, {
        runId: "run_2",
        paths: ["/b", "/c"],
        at: NOON + DAY_MS,
        judge: ({ pageId }) => ({
          pageId,
          listing,
          verdict: { kind: "denied", ruleIndex: null, reason: "no_usable_rate", detail: null },
        }),
      });
      await buyPages(ledger, { runId: "run_3", host: OTHER_HOST, paths: ["/x"] });
      const { pages, listings } = await ledger.readQuoted({ host: "news.example", limit: 9 });
      const seen = pages.map(({ path, isApproved, listing: place }) => [
        path,
        isApproved,
        listings[place]?.rates.length,
      ]);
      expect(seen.sort()).toEqual([
        ["/a", true, 1],
        ["/b", false, 0],
        ["/c", false, 0],
      ]);
      expect((await ledger.readQuoted({ host: "news.example", limit: 1 })).pages).toHaveLength(1);
      expect(await ledger.readQuoted({ host: "none.example", limit: 9 })).toEqual({ pages: [], listings: [] });
    });
  });
}
