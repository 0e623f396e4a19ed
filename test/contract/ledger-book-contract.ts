import { describe, expect, it } from "vitest";
import type { ObstacleQuery, Obstacles } from "../../src/ledger/frontier-ledger.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { PlanBook } from "../../src/ledger/plan-book.ts";
import { toMicros } from "../../src/money/micros.ts";
import { NO_LIMIT, NOON } from "../doubles/ledger-shop.ts";
import {
  decideBatch,
  EMPTY_BOOK,
  HOST,
  openAcquire,
  type QuickDecision,
  RUN,
  readTotal,
  reserve,
  toBudget,
  toEntry,
  toSite,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";
import { settleAll } from "./ledger-decide-contract.ts";

const PLAN = "plan_1";
const USD = (micros: number) => ({ micros: toMicros(micros), currency: "USD" });
const NO_LIMITS = { maxPages: null, siteMaxPages: null, maxSpend: null };

/** Of the first page of a ledger, as the next run would find it. */
export function findObstacles(ledger: Ledger, query: Partial<ObstacleQuery> = {}): Promise<Obstacles> {
  return ledger.findObstacles({
    ...{ pageId: 1, host: HOST, cost: USD(10_000), now: NOON, expiry: {}, budgets: [NO_LIMIT], ...NO_LIMITS },
    ...{ intent: "content", inDoubt: "hold", refresh: { when: "modified", maxAgeMs: null } },
    ...query,
  });
}

/** What every ledger promises of a plan, whose pages are decided over a book, and of what is asked without a run. */
export function describeBooks(open: OpenLedger): void {
  const plan = async (ledger: Ledger, paths: readonly string[], quick: QuickDecision = {}, spec = {}) => {
    await ledger.createRun(toSpec({ runId: PLAN, kind: "planning", ...spec }));
    await walkPage(ledger, { runId: PLAN, entries: paths.map((path) => toEntry(path)) });
    return decideBatch(ledger, { runId: PLAN, book: EMPTY_BOOK, ...quick });
  };
  const reasonsOf = ({ planned }: Awaited<ReturnType<typeof plan>>) => planned?.pages.map(({ reason }) => reason);
  const setAside = (micros: number): PlanBook => ({
    ...EMPTY_BOOK,
    setAside: [{ scope: "all", period: "total", ...USD(micros) }],
  });

  describe("decide, over the book of a plan", () => {
    it("answers what a run would do, and reserves, denies and leaves nothing", async () => {
      const ledger = await open();
      const budgets = [toBudget(25_000)];
      const decided = await plan(ledger, ["/a", "/b", "/c"], { budgets });
      expect(decided).toMatchObject({ approved: 2, denied: { budget_exhausted: 1 }, exhausted: null });
      expect(decided.planned).toMatchObject({
        pages: [
          { url: `https://${HOST}/a`, host: HOST, ruleIndex: 0, price: { cost: USD(10_000) }, reason: null },
          { url: `https://${HOST}/b`, reason: null },
          { url: `https://${HOST}/c`, reason: "budget_exhausted" },
        ],
        limits: [{ host: HOST, reached: null, spent: [{ budget: { limitMicros: 25_000 } }] }],
      });
      expect(await readTotal(ledger)).toEqual({ spentMicros: 0, inDoubtMicros: 0, reservedMicros: 0 });
      expect((await ledger.readRun(PLAN)).denials).toEqual({});
      expect(await findObstacles(ledger)).toMatchObject({ block: null, limit: null });
    });

    it("counts what the book has set aside beside what the ledger has", async () => {
      const ledger = await open();
      await reserve(ledger, ["/open"]);
      const budgets = [toBudget(30_000)];
      const decided = await plan(ledger, ["/a", "/b"], { budgets, book: setAside(10_000) });
      expect(reasonsOf(decided)).toEqual([null, "budget_exhausted"]);
    });

    it("counts the pages of the book against the limits of the run and of the site", async () => {
      const book = { ...EMPTY_BOOK, approved: 2, sites: [{ host: HOST, approved: 2, exhausted: {}, reached: null }] };
      for (const spec of [{ maxPages: 3 }, { sites: [toSite({ maxPages: 3 })] }]) {
        const decided = await plan(await open(), ["/a", "/b"], { book }, spec);
        expect(reasonsOf(decided)).toEqual([null, "max_pages"]);
      }
    });

    it("buys nothing more where the book says that a limit has ended it, or a currency is used up", async () => {
      const site = { host: HOST, approved: 0, exhausted: {}, reached: null };
      const reached = { reason: "max_spend", label: "the run's maxSpend", covers: "run", currency: null } as const;
      for (const [end, reason] of [
        [{ reached }, "max_spend"],
        [{ exhausted: { USD: "a budget" } }, "budget_exhausted"],
      ] as const) {
        const decided = await plan(await open(), ["/a"], { book: { ...EMPTY_BOOK, sites: [{ ...site, ...end }] } });
        expect(reasonsOf(decided)).toEqual([reason]);
      }
    });

    it("finds what has come between the walk and the decision, as a run does", async () => {
      const ledger = await open();
      for (const [runId, paths, kind] of [
        [RUN, ["/held"], "walk"],
        ["run_2", ["/open"], "walk"],
        [PLAN, ["/held", "/open", "/new"], "planning"],
      ] as const) {
        await ledger.createRun(toSpec({ runId, kind }));
        await walkPage(ledger, { runId, entries: paths.map((path) => toEntry(path)) });
      }
      await decideBatch(ledger);
      await settleAll(ledger);
      await decideBatch(ledger, { runId: "run_2" });
      const decided = await decideBatch(ledger, { runId: PLAN, book: EMPTY_BOOK });
      expect(decided.denied).toEqual({ already_held: 1, already_open: 1 });
    });
  });

  describe("findObstacles", () => {
    it("finds nothing against a page that it does not know, on a site that it does not know", async () => {
      const ledger = await open();
      expect(await findObstacles(ledger, { pageId: null, host: "unknown.example" })).toEqual({
        ...{ stoppedBy: null, block: null, isFreshEnough: false, limit: null, spent: null },
      });
    });

    it("finds each of them for itself", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a"]);
      expect(await findObstacles(ledger)).toMatchObject({ block: "already_open", isFreshEnough: false });
      const { purchases } = await openAcquire(ledger);
      expect(purchases).toHaveLength(1);
      const tight = [toBudget(15_000)];
      expect(await findObstacles(ledger, { budgets: tight })).toMatchObject({
        block: "already_open",
        limit: { reason: "budget_exhausted" },
        spent: { budget: { limitMicros: 15_000 } },
      });
      expect(await findObstacles(ledger, { cost: { ...USD(1), currency: "EUR" } })).toMatchObject({
        limit: "no_budget_in_currency",
      });
      expect(await findObstacles(ledger, { maxPages: 0 })).toMatchObject({ limit: { reason: "max_pages" } });
      expect(await findObstacles(ledger, { maxSpend: USD(9_999) })).toMatchObject({ limit: { reason: "max_spend" } });
    });
  });
}
