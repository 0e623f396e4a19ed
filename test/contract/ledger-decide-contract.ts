import { describe, expect, it } from "vitest";
import type { Budget } from "../../src/budget/budget.ts";
import { toMicros } from "../../src/money/micros.ts";
import { toListedRate } from "../../src/rates/listed-rate.ts";
import { NO_LIMIT, NOON } from "../doubles/ledger-shop.ts";
import {
  decideBatch,
  HOST,
  leaseMany,
  leaseOne,
  openAcquire,
  RUN,
  readTotal,
  reserve,
  start,
  toApproval,
  toBudget,
  toDecideRequest,
  toEntry,
  toRate,
  toSettlement,
  toSite,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";
import { findObstacles } from "./ledger-book-contract.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const DAY_MS = 86_400_000;
const THREE = ["/a", "/b", "/c"];

export function describeDecisions(open: OpenLedger): void {
  describe("decide", () => {
    it("reserves quote, fee and billed fetch, once for one lease", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await walkPage(ledger, { entries: [toEntry("/a")] });
      const { leaseId } = await leaseOne(ledger, "quote");
      const pageId = (await ledger.openQuoteBatch(leaseId))?.pages[0]?.pageId ?? 0;
      const request = toDecideRequest(leaseId, [
        toApproval(pageId, toRate(10_000), { feeMicros: 300, useReserveMicros: 10_000 }),
      ]);
      expect(await ledger.decide(request)).toEqual({ stale: false, approved: 1, denied: {}, exhausted: null });
      expect(await ledger.decide(request)).toEqual({ stale: true, approved: 0, denied: {}, exhausted: null });
      expect(await readTotal(ledger)).toEqual({ spentMicros: 0, inDoubtMicros: 0, reservedMicros: 20_300 });
      const { purchases } = await openAcquire(ledger);
      expect(purchases).toMatchObject([
        {
          state: "reserved",
          url: `https://${HOST}/a`,
          quote: { price: { micros: 10_000, currency: "USD" } },
          token: null,
        },
      ]);
    });

    const budgets: { readonly name: string; readonly budget: Partial<Budget>; readonly covers: boolean }[] = [
      { name: "everything, for ever", budget: {}, covers: true },
      { name: "everything, a day", budget: { period: "day" }, covers: true },
      { name: "everything, a week", budget: { period: "week" }, covers: true },
      { name: "everything, a month", budget: { period: "month" }, covers: true },
      { name: "the site", budget: { scope: { kind: "site", host: HOST } }, covers: true },
      { name: "the run", budget: { scope: { kind: "run" } }, covers: true },
      { name: "another site", budget: { scope: { kind: "site", host: "other.example" } }, covers: false },
      { name: "another currency", budget: { currency: "EUR" }, covers: false },
    ];
    it.each(budgets)(
      "accepts the page that makes the sum exactly the limit, and none after it: $name",
      async ({ budget, covers }) => {
        for (const [limitMicros, approved] of [
          [20_000, 2],
          [19_999, 1],
        ] as const) {
          const tight = toBudget(limitMicros, budget);
          for (const ordered of [
            [NO_LIMIT, tight],
            [tight, NO_LIMIT],
          ]) {
            const ledger = await open();
            const decided = await reserve(ledger, THREE, { budgets: ordered });
            expect(decided.approved).toBe(covers ? approved : 3);
            expect(decided.denied).toEqual(covers ? { budget_exhausted: 3 - approved } : {});
            expect(decided.exhausted?.stop ?? null).toBe(covers ? "budget_exhausted" : null);
            expect((await readTotal(ledger)).reservedMicros).toBe(10_000 * decided.approved);
          }
        }
      },
    );

    it.each([
      { limitMicros: 20_300, approved: 1 },
      { limitMicros: 20_299, approved: 0 },
    ])(
      "includes the fee and the billed report too: $approved under $limitMicros",
      async ({ limitMicros, approved }) => {
        const ledger = await open();
        const decided = await reserve(ledger, ["/a"], {
          budgets: [toBudget(limitMicros)],
          decisions: ([a = 0]) => [toApproval(a, toRate(10_000), { feeMicros: 300, useReserveMicros: 10_000 })],
        });
        expect(decided.approved).toBe(approved);
      },
    );

    it("stops reserving at the first page that does not fit, free pages included", async () => {
      const ledger = await open();
      const decided = await reserve(ledger, THREE, {
        budgets: [toBudget(15_000)],
        decisions: ([a = 0, b = 0, c = 0]) => [
          toApproval(a, toRate(10_000)),
          toApproval(b, toRate(10_000)),
          toApproval(c, toRate(0)),
        ],
      });
      expect(decided).toMatchObject({ approved: 1, denied: { budget_exhausted: 2 } });
    });

    it("stops every site for a budget of all or of the run, and one site for its own", async () => {
      for (const [budget, stops] of [
        [toBudget(0), ["budget_exhausted", "budget_exhausted"]],
        [toBudget(0, { scope: { kind: "run" } }), ["budget_exhausted", "budget_exhausted"]],
        [toBudget(0, { scope: { kind: "site", host: HOST } }), ["budget_exhausted", null]],
      ] as const) {
        const ledger = await open();
        await ledger.createRun(toSpec({ sites: [toSite(), toSite({ host: "blog.example" })] }));
        await walkPage(ledger, { entries: [toEntry("/a")], quoteBatchSize: 1 });
        const leases = await leaseMany(ledger);
        const quote = leases.find(({ stage }) => stage === "quote")?.leaseId ?? "";
        const pageId = (await ledger.openQuoteBatch(quote))?.pages[0]?.pageId ?? 0;
        await ledger.decide(toDecideRequest(quote, [toApproval(pageId, toRate(1))], { budgets: [budget] }));
        expect((await ledger.readRun(RUN)).sites.map(({ stop }) => stop)).toEqual(stops);
      }
    });

    it("counts what earlier runs spent in the period, and not what they spent before it", async () => {
      const ledger = await open();
      const budgets = [toBudget(10_000, { period: "day" })];
      await reserve(ledger, ["/a"], { budgets });
      await settleAll(ledger);
      const today = await reserve(ledger, ["/b"], { budgets, runId: "run_2", now: NOON + 1 });
      expect(today).toMatchObject({ approved: 0, denied: { budget_exhausted: 1 } });
      const tomorrow = await reserve(ledger, ["/c"], { budgets, runId: "run_3", now: NOON + DAY_MS });
      expect(tomorrow.approved).toBe(1);
    });

    it.each([
      { name: "the run's maxPages", spec: { maxPages: 2 }, reason: "max_pages" },
      { name: "the site's maxPages", spec: { sites: [toSite({ maxPages: 2 })] }, reason: "max_pages" },
      { name: "maxSpend", spec: { maxSpend: { micros: toMicros(20_000), currency: "USD" } }, reason: "max_spend" },
    ] as const)("ends at $name", async ({ spec, reason }) => {
      const ledger = await open();
      expect(await reserve(ledger, THREE, {}, spec)).toMatchObject({ approved: 2, denied: { [reason]: 1 } });
      expect((await ledger.readRun(RUN)).sites[0]).toMatchObject({ stop: reason });
    });

    it.each([
      { name: "maxPages", spec: { maxPages: 2 }, reason: "max_pages" },
      { name: "the site's maxPages", spec: { sites: [toSite({ maxPages: 2 })] }, reason: "max_pages" },
      { name: "maxSpend", spec: { maxSpend: { micros: toMicros(20_000), currency: "USD" } }, reason: "max_spend" },
    ] as const)(
      "counts a run's $name over all its decisions, purchases in doubt included",
      async ({ spec, reason }) => {
        const ledger = await open();
        await ledger.createRun(toSpec(spec));
        await walkPage(ledger, { entries: THREE.map((path) => toEntry(path)), quoteBatchSize: 1 });
        const quotes = await leaseMany(ledger);
        const outcomes: unknown[] = [];
        for (const [index, { leaseId }] of quotes.entries()) {
          const pageId = (await ledger.openQuoteBatch(leaseId))?.pages[0]?.pageId ?? 0;
          outcomes.push(await ledger.decide(toDecideRequest(leaseId, [toApproval(pageId, toRate(10_000))])));
          if (index === 0) {
            const { leaseId: acquire, purchases } = await openAcquire(ledger);
            const purchaseId = purchases[0]?.purchaseId ?? 0;
            await start(ledger, acquire, purchaseId);
            await ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "401", now: NOON });
          }
        }
        expect(outcomes).toMatchObject([{ approved: 1 }, { approved: 1 }, { approved: 0, denied: { [reason]: 1 } }]);
        expect(await readTotal(ledger)).toEqual({ spentMicros: 0, inDoubtMicros: 10_000, reservedMicros: 10_000 });
      },
    );

    it("denies a rate in a currency that no budget covers, and continues", async () => {
      const ledger = await open();
      const decided = await reserve(ledger, ["/a", "/b"], {
        decisions: ([a = 0, b = 0]) => [toApproval(a, toRate(1, "EUR")), toApproval(b, toRate(1))],
      });
      expect(decided).toEqual({ stale: false, approved: 1, denied: { no_budget_in_currency: 1 }, exhausted: null });
      const maxSpend = { micros: toMicros(5), currency: "EUR" };
      const other = await reserve(ledger, ["/c"], { runId: "run_2" }, { maxSpend });
      expect(other.denied).toEqual({ no_budget_in_currency: 1 });
    });

    it("accepts maxSpend as the only budget", async () => {
      const ledger = await open();
      const spec = { maxSpend: { micros: toMicros(10_000), currency: "USD" } };
      expect(await reserve(ledger, ["/a", "/b"], { budgets: [] }, spec)).toMatchObject({
        approved: 1,
        denied: { max_spend: 1 },
      });
    });

    it("reserves nothing for indexing, and still counts its pages", async () => {
      const ledger = await open();
      const decided = await reserve(ledger, THREE, { intent: "indexing", rate: null, budgets: [] }, { maxPages: 2 });
      expect(decided).toMatchObject({ approved: 2, denied: { max_pages: 1 } });
      expect((await openAcquire(ledger)).purchases[0]).toMatchObject({
        intent: "indexing",
        quote: null,
      });
    });

    it("buys a page once although two runs found it", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a"]);
      expect(await reserve(ledger, ["/a"], { runId: "run_2" })).toMatchObject({
        approved: 0,
        denied: { already_open: 1 },
      });
      await settleAll(ledger);
      await ledger.createRun(toSpec({ runId: "run_3" }));
    });

    it("does not buy a page that was stored between the walk and the decision", async () => {
      const ledger = await open();
      for (const runId of [RUN, "run_2"]) {
        await ledger.createRun(toSpec({ runId }));
        await walkPage(ledger, { runId, entries: [toEntry("/a")] });
      }
      await decideBatch(ledger);
      await settleAll(ledger);
      expect(await decideBatch(ledger, { runId: "run_2" })).toMatchObject({ approved: 0, denied: { already_held: 1 } });
    });

    it("does not buy a page in doubt again, unless the policy says so: then with its own reservation", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a"]);
      const { leaseId, purchases } = await openAcquire(ledger);
      const purchaseId = purchases[0]?.purchaseId ?? 0;
      await start(ledger, leaseId, purchaseId);
      await ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "401", now: NOON });
      expect(await reserve(ledger, ["/a"], { runId: "run_2" })).toMatchObject({ approved: 0, denied: { in_doubt: 1 } });
      expect((await findObstacles(ledger, { inDoubt: "hold" })).block).toBe("in_doubt");
      expect((await findObstacles(ledger, { inDoubt: "rebuy" })).block).toBeNull();
      expect(await reserve(ledger, ["/a"], { runId: "run_3", inDoubt: "rebuy" })).toMatchObject({ approved: 1 });
      expect((await findObstacles(ledger, { inDoubt: "rebuy" })).block).toBe("already_open");
      expect(await readTotal(ledger)).toEqual({ spentMicros: 0, inDoubtMicros: 10_000, reservedMicros: 10_000 });
    });

    it("lets undecided pages wait in their own batch", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await walkPage(ledger, { entries: THREE.map((path) => toEntry(path)) });
      await decideBatch(ledger, {
        decisions: ([first = 0]) => [toApproval(first, toRate(1)), toApproval(9_999, toRate(1))],
      });
      const [, quote] = await leaseMany(ledger);
      expect((await ledger.openQuoteBatch(quote?.leaseId ?? ""))?.pages).toHaveLength(2);
    });

    it("splits the reservations into acquire batches", async () => {
      const ledger = await open();
      await reserve(ledger, THREE, { acquireBatchSize: 2 });
      const first = await openAcquire(ledger);
      for (const { purchaseId } of first.purchases) {
        await start(ledger, first.leaseId, purchaseId);
        await ledger.settlePurchase(toSettlement(purchaseId));
      }
      const second = await openAcquire(ledger);
      expect([first, second].map(({ purchases }) => purchases.length)).toEqual([2, 1]);
    });

    it("keeps each verdict with its rule, license, listing and reason", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a", "/b"], {
        decisions: ([a = 0, b = 0]) => [
          toApproval(a, toRate(7)),
          {
            pageId: b,
            listing: { rates: [toRate(9)], unreadable: ["a price of 0.5"] },
            verdict: { kind: "denied", ruleIndex: 2, reason: "denied_by_rule", detail: "too dear" },
          },
        ],
      });
      expect((await ledger.readPage(`https://${HOST}/a`))?.purchases).toMatchObject([
        {
          ruleIndex: 0,
          policyName: "standard",
          license: toRate(7).license,
          quotedMicros: 7,
          listing: { rates: [toListedRate(toRate(7))] },
        },
      ]);
      expect((await ledger.readPage(`https://${HOST}/b`))?.denials).toMatchObject([
        {
          runId: RUN,
          ruleIndex: 2,
          reason: "denied_by_rule",
          detail: "too dear",
          listing: { unreadable: ["a price of 0.5"] },
        },
      ]);
    });
  });
}

export async function settleAll(ledger: Awaited<ReturnType<OpenLedger>>): Promise<void> {
  const { leaseId, purchases } = await openAcquire(ledger);
  for (const { purchaseId } of purchases) {
    await start(ledger, leaseId, purchaseId);
    await ledger.settlePurchase(toSettlement(purchaseId));
  }
}
