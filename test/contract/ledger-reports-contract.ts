import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { buyPages, NO_LIMIT, NOON, ON_DEMAND, reservePages, startPages } from "../doubles/ledger-shop.ts";
import { readTotal } from "../doubles/ledger-steps.ts";
import { createUse, recordUses } from "../doubles/usage-outbox-driver.ts";

const DAY_MS = 86_400_000;

/** What every ledger promises of its reports. */
export function describeReports(open: () => Promise<Ledger>): void {
  describe("readRun", () => {
    it("counts pages, money and uses of the run, and of no other run", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"], priceMicros: 10_000, feeMicros: 250 });
      await buyPages(ledger, { runId: "run_2", paths: ["/c"], priceMicros: 500 });
      const run = await ledger.readRun("run_1");
      expect(run).toMatchObject({
        runId: "run_1",
        state: "completed",
        pages: {
          seen: 2,
          unchanged: 0,
          excluded: 0,
          quoted: 2,
          approved: 2,
          denied: 0,
          bought: 2,
          failed: 0,
          inDoubt: 0,
        },
        spend: { USD: { settledMicros: 20_000, inDoubtMicros: 0, reservedMicros: 0, feeMicros: 500 } },
        usage: { recorded: 2, reported: 0, pending: 2, rejected: 0 },
      });
      expect(run.sites).toMatchObject([{ host: "news.example", bought: 2, walkEnded: true, stop: null }]);
    });

    it("says why purchases failed, and what is in doubt", async () => {
      const ledger = await open();
      const purchases = await startPages(ledger, { paths: ["/a", "/b", "/c"] });
      const [first, second] = purchases.map(({ purchaseId }) => purchaseId);
      await ledger.releasePurchase({ purchaseId: first ?? 0, reason: "content_refused", detail: "403", now: NOON });
      await ledger.holdInDoubt({ purchaseId: second ?? 0, reason: "token_spent", detail: "reset", now: NOON + 1 });
      const run = await ledger.readRun("run_1");
      expect(run).toMatchObject({ failures: { content_refused: 1 }, pages: { failed: 1, inDoubt: 1, bought: 0 } });
      expect(run.spend.USD).toMatchObject({ inDoubtMicros: 10_000, reservedMicros: 10_000 });
      expect((await ledger.readStatus()).inDoubt).toEqual([
        {
          purchaseId: second,
          runId: "run_1",
          url: "https://news.example/b",
          quotedMicros: 10_000,
          currency: "USD",
          reason: "token_spent",
          detail: "reset",
          at: NOON + 1,
        },
      ]);
    });

    it("throws RUN_NOT_FOUND for an unknown run", async () => {
      const ledger = await open();
      await expect(ledger.readRun("run_never")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    });
  });

  describe("hasRuns", () => {
    it("is false until a first run is recorded; a plan is not one", async () => {
      const ledger = await open();
      const site = { host: "news.example", maxPages: null, fullWalkEveryMs: null, overlapMs: 0 };
      const limits = { maxPages: null, maxSpend: null, deadlineAt: null };
      await ledger.createRun({
        runId: "plan_1",
        kind: "planning",
        order: "catalog",
        startedAt: NOON,
        sites: [site],
        ...limits,
      });
      expect(await ledger.hasRuns()).toBe(false);
      await buyPages(ledger, { runId: "run_1", paths: ["/a"] });
      expect(await ledger.hasRuns()).toBe(true);
    });
  });

  describe("readStatus", () => {
    it("is empty for a new ledger", async () => {
      const ledger = await open();
      expect(await ledger.readStatus()).toEqual({
        spend: {},
        usage: { recorded: 0, reported: 0, pending: 0, rejected: 0, needsReconcile: 0 },
        inDoubt: [],
        openItems: [],
        totals: { inDoubt: 0, openItems: 0 },
        pagesStored: 0,
        batches: [],
      });
    });
  });

  describe("readDay", () => {
    it("counts money and pages of one UTC day, by the day of their decision", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_0", paths: ["/z"], at: NOON - DAY_MS });
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"], priceMicros: 10_000, feeMicros: 250 });
      await buyPages(ledger, { runId: "run_2", paths: ["/free"], priceMicros: 0 });
      const purchases = await startPages(ledger, { runId: "run_3", paths: ["/c", "/d", "/e"] });
      const [first = 0, second = 0] = purchases.map(({ purchaseId }) => purchaseId);
      const tomorrow = { detail: "403", now: NOON + DAY_MS };
      await ledger.releasePurchase({ purchaseId: first, reason: "content_refused", ...tomorrow });
      await ledger.holdInDoubt({ purchaseId: second, reason: "token_spent", ...tomorrow });
      const today = { settledMicros: 20_000, feeMicros: 500, reservedMicros: 10_000 };
      expect(await ledger.readDay({ at: NOON + 1 })).toEqual({
        USD: { ...today, inDoubtMicros: 10_000, bought: 3, failed: 1 },
      });
      await ledger.resolvePurchase({ purchaseId: second, charged: false, now: NOON + DAY_MS });
      expect(await ledger.readDay({ at: NOON })).toEqual({ USD: { ...today, inDoubtMicros: 0, bought: 3, failed: 2 } });
      expect(await ledger.readDay({ at: NOON + DAY_MS })).toEqual({});
    });
  });

  describe("readPage", () => {
    it("is null for a page that the ledger has never seen", async () => {
      expect(await (await open()).readPage("https://news.example/a")).toBeNull();
    });

    it("returns each decision with its rates, the newest first", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", priceMicros: 10_000 });
      const none = { rates: [], unreadable: ["a price of -1"] };
      await reservePages(ledger, {
        runId: "run_2",
        judge: ({ pageId }) => ({
          pageId,
          listing: none,
          verdict: { kind: "denied", ruleIndex: 3, reason: "denied_by_rule", detail: "no" },
        }),
      });
      await buyPages(ledger, { runId: "run_3", priceMicros: 7_000, at: NOON + 5 });
      const page = await ledger.readPage("https://news.example/a");
      expect(page?.stored).toMatchObject({ boughtAt: NOON + 5, indexingOnly: false, license: ON_DEMAND });
      expect(
        page?.purchases.map(({ runId, state, quotedMicros, chargedMicros }) => [
          runId,
          state,
          quotedMicros,
          chargedMicros,
        ]),
      ).toEqual([
        ["run_3", "settled", 7_000, 7_000],
        ["run_1", "settled", 10_000, 10_000],
      ]);
      expect(page?.denials).toEqual([
        {
          runId: "run_2",
          reason: "denied_by_rule",
          ruleIndex: 3,
          policyName: "standard",
          detail: "no",
          at: NOON,
          listing: none,
        },
      ]);
    });

    it("says that a page was only indexed, until it is bought", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", intent: "indexing" });
      expect((await ledger.readPage("https://news.example/a"))?.stored).toMatchObject({
        indexingOnly: true,
        license: null,
      });
      await buyPages(ledger, { runId: "run_2" });
      expect((await ledger.readPage("https://news.example/a"))?.stored).toMatchObject({
        indexingOnly: false,
        license: ON_DEMAND,
      });
    });
  });

  describe("readBalances", () => {
    it("returns each budget in its period, in the requested order; one of another host is left out", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", priceMicros: 10_000 });
      await buyPages(ledger, { runId: "run_2", paths: ["/b"], priceMicros: 3_000, at: NOON + DAY_MS });
      const limit = { limitMicros: NO_LIMIT.limitMicros, currency: "USD" };
      const budgets = [
        { scope: { kind: "run" }, period: "total", ...limit },
        { scope: { kind: "site", host: "news.example" }, period: "day", ...limit },
        { scope: { kind: "site", host: "other.example" }, period: "day", ...limit },
        { scope: { kind: "all" }, period: "month", ...limit },
        { scope: { kind: "all" }, period: "month", ...limit, currency: "EUR" },
      ] as const;
      const settled = async (runId: string | null) => {
        const balances = await ledger.readBalances({ budgets, hosts: ["news.example"], runId, now: NOON });
        return balances.map(({ budget, balance }) => [
          budgets.indexOf(budget as (typeof budgets)[number]),
          balance.spentMicros,
        ]);
      };
      expect(await settled("run_2")).toEqual([
        [0, 3_000],
        [1, 10_000],
        [3, 13_000],
        [4, 0],
      ]);
      expect(await settled(null)).toEqual([
        [0, 0],
        [1, 10_000],
        [3, 13_000],
        [4, 0],
      ]);
    });

    it("counts a manual use under its site and under all, and under no run", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 10_000 });
      await recordUses(ledger, [createUse("/a")]);
      const reserved = async (scope: string) => (await readTotal(ledger, "USD", scope)).reservedMicros;
      expect([await reserved("all"), await reserved("site:news.example"), await reserved("run:run_1")]).toEqual([
        10_000, 10_000, 0,
      ]);
    });

    it("is zero where nothing ever moved", async () => {
      const ledger = await open();
      const zero = toMicros(0);
      expect(await readTotal(ledger, "XTS")).toEqual({
        spentMicros: zero,
        inDoubtMicros: zero,
        reservedMicros: zero,
      });
    });
  });
}
