import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { buyPages, NO_LIMIT, NOON, ON_DEMAND, startPages } from "../doubles/ledger-shop.ts";
import { readBalance, toBudget } from "../doubles/ledger-steps.ts";
import { createUse, freeze, leaseFlusher, readSpend, recordUses, settle } from "../doubles/usage-outbox-driver.ts";

const NEXT_DAY = NOON + 86_400_000;

/** What every ledger promises of recording uses. */
export function describeUses(open: () => Promise<Ledger>): void {
  describe("recordUses", () => {
    it("records a later use under the license of the purchase, and reserves its price", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 10_000 });
      const recorded = await recordUses(ledger, [createUse("/a", { times: 3 })]);
      expect(recorded).toEqual([
        {
          kind: "recorded",
          useId: expect.any(Number),
          reserved: { micros: 30_000, currency: "USD" },
          overBudget: false,
          lapse: null,
        },
      ]);
      expect(await readSpend(ledger)).toEqual({ spentMicros: 10_000, inDoubtMicros: 0, reservedMicros: 30_000 });
    });

    it("records a use after the end of the rights, and says when they had ended", async () => {
      const ledger = await open();
      await buyPages(ledger);
      const expiry = { standard: { retentionMs: 1_000, onExpiry: "keep" } } as const;
      const uses = [NOON - 1, NOON + 999, NOON + 1_000].map((usedAt) => createUse("/a", { usedAt }));
      const recorded = await recordUses(ledger, uses, { expiry, now: NEXT_DAY });
      expect(recorded).toMatchObject([
        { kind: "recorded", lapse: null },
        { kind: "recorded", lapse: null },
        { kind: "recorded", lapse: { at: NOON + 1_000, why: "retention" } },
      ]);
    });

    it("returns results in the order of the records, with the refused ones", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/a", "/b"] });
      const recorded = await recordUses(ledger, [createUse("/b"), createUse("/never-seen"), createUse("/a")]);
      expect(recorded.map(({ kind }) => kind)).toEqual(["recorded", "refused", "recorded"]);
      expect(recorded[1]).toEqual({ kind: "refused", reason: "not_stored" });
    });

    it("refuses a page that is known but not stored", async () => {
      const ledger = await open();
      await startPages(ledger);
      expect(await recordUses(ledger, [createUse("/a")])).toEqual([{ kind: "refused", reason: "not_stored" }]);
    });

    it("records a use with a key once, in one call and across calls", async () => {
      const ledger = await open();
      await buyPages(ledger);
      const use = createUse("/a", { key: "uses.jsonl:1" });
      const first = await recordUses(ledger, [use, use]);
      expect(first.map(({ kind }) => kind)).toEqual(["recorded", "repeated"]);
      expect(await recordUses(ledger, [use])).toEqual([{ kind: "repeated" }]);
      expect((await readSpend(ledger)).reservedMicros).toBe(10_000);
      expect((await ledger.countPendingUses()).unbatched).toBe(2);
    });

    it.each([
      ["another page", createUse("/b", { key: "k", times: 2 }), "refused"],
      ["another count", createUse("/a", { key: "k", times: 3 }), "refused"],
      ["another instant", createUse("/a", { key: "k", times: 2, usedAt: NOON + 1 }), "refused"],
      ["an instant that nobody told", createUse("/a", { key: "k", times: 2, usedAt: 1, isUndated: true }), "repeated"],
      ["nothing else", createUse("/a", { key: "k", times: 2 }), "repeated"],
    ])("distinguishes another use under the same key: with %s", async (_name, use, kind) => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/a", "/b"] });
      await recordUses(ledger, [createUse("/a", { key: "k", times: 2 })]);
      expect(await recordUses(ledger, [use])).toMatchObject([
        kind === "refused" ? { kind, reason: "other_use" } : { kind },
      ]);
      expect((await readSpend(ledger)).reservedMicros).toBe(20_000);
    });

    it("refuses on request what exceeds a budget, each use with those before it", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 10_000 });
      const budgets = [{ ...NO_LIMIT, limitMicros: toMicros(30_000) }];
      const uses = [createUse("/a"), createUse("/a"), createUse("/a")];
      const recorded = await recordUses(ledger, uses, { budgets, refuseOverBudget: true });
      expect(recorded).toMatchObject([
        { kind: "recorded", overBudget: false },
        { kind: "recorded", overBudget: false },
        { kind: "refused", reason: "over_budget" },
      ]);
      expect((await readSpend(ledger)).reservedMicros).toBe(20_000);
      expect((await ledger.readStatus()).openItems).toEqual([]);
    });

    it("says in a dry run what would be recorded, and records nothing", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 10_000, reportsFetch: false });
      const before = await ledger.readStatus();
      expect(await recordUses(ledger, [createUse("/a", { times: 2, key: "k" })], { dryRun: true })).toMatchObject([
        { kind: "recorded", reserved: { micros: 20_000, currency: "USD" } },
      ]);
      expect(await ledger.readStatus()).toEqual(before);
      expect(await readSpend(ledger)).toMatchObject({ reservedMicros: 0 });
      expect(await recordUses(ledger, [createUse("/a", { times: 3, key: "k" })])).toMatchObject([{ kind: "recorded" }]);
    });

    it("records a use without a key each time", async () => {
      const ledger = await open();
      await buyPages(ledger, { reportsFetch: false });
      await recordUses(ledger, [createUse("/a"), createUse("/a")]);
      expect((await ledger.countPendingUses()).unbatched).toBe(2);
    });

    it("requests terms where the page was only indexed, and books under them", async () => {
      const ledger = await open();
      await buyPages(ledger, { intent: "indexing" });
      expect(await recordUses(ledger, [createUse("/a")])).toEqual([{ kind: "refused", reason: "needs_terms" }]);
      const terms = { license: ON_DEMAND, unitMicros: toMicros(700), currency: "USD" };
      const recorded = await recordUses(ledger, [createUse("/a", { terms, times: 2 })]);
      expect(recorded).toMatchObject([{ kind: "recorded", reserved: { micros: 1_400, currency: "USD" } }]);
    });

    it("uses the license of the purchase if there is one, whatever terms are offered", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 10_000 });
      const terms = { license: ON_DEMAND, unitMicros: toMicros(1), currency: "EUR" };
      const recorded = await recordUses(ledger, [createUse("/a", { terms })]);
      expect(recorded).toMatchObject([{ reserved: { micros: 10_000, currency: "USD" } }]);
    });

    it("reserves nothing for a kind that is not billed", async () => {
      const ledger = await open();
      await buyPages(ledger);
      const recorded = await recordUses(ledger, [createUse("/a")], {
        defaultTerms: { kinds: ["fetch", "use"], billed: [] },
      });
      expect(recorded).toMatchObject([{ kind: "recorded", reserved: null, overBudget: false }]);
      expect((await readSpend(ledger)).reservedMicros).toBe(0);
    });

    it("records a kind that is not reported, and never reports it", async () => {
      const ledger = await open();
      await buyPages(ledger, { reportsFetch: false });
      await recordUses(ledger, [createUse("/a")], { defaultTerms: { kinds: ["fetch"], billed: ["use"] } });
      expect((await ledger.countPendingUses()).unbatched).toBe(0);
      expect((await readSpend(ledger)).reservedMicros).toBe(0);
      expect((await ledger.readStatus()).usage.recorded).toBe(1);
    });

    it("applies a site's own terms before the default", async () => {
      const ledger = await open();
      await buyPages(ledger);
      const terms = new Map([["news.example", { kinds: ["use" as const], billed: [] }]]);
      expect(await recordUses(ledger, [createUse("/a")], { terms })).toMatchObject([{ reserved: null }]);
    });

    it("counts a use in the periods of its recording, not of its purchase", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 10_000 });
      await recordUses(ledger, [createUse("/a")], { now: NEXT_DAY });
      const day = toBudget(0, { period: "day" });
      expect((await readBalance(ledger, day, { now: NOON })).reservedMicros).toBe(0);
      expect((await readBalance(ledger, day, { now: NEXT_DAY })).reservedMicros).toBe(10_000);
    });

    it.each([0, -1, 1.5, Number.NaN, 1_000_000_001])(
      "throws INPUT_INVALID for %s times, and records nothing of the call",
      async (times) => {
        const ledger = await open();
        await buyPages(ledger, { reportsFetch: false });
        const recording = async () => recordUses(ledger, [createUse("/a"), createUse("/a", { times })]);
        await expect(recording()).rejects.toMatchObject({ code: "INPUT_INVALID" });
        expect((await ledger.countPendingUses()).unbatched).toBe(0);
      },
    );

    it("refuses uses whose price is more than can be counted with the earlier uses, and no others", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 9_000_000 });
      const billion = createUse("/a", { times: 1_000_000_000 });
      const recorded = await recordUses(ledger, [createUse("/a"), billion, billion, createUse("/a")]);
      expect(recorded.map((use) => (use.kind === "refused" ? use.reason : use.kind))).toEqual([
        "recorded",
        "recorded",
        "uncountable",
        "recorded",
      ]);
    });

    it("refuses uses whose price alone is more than can be counted", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 100_000_000 });
      expect(await recordUses(ledger, [createUse("/a", { times: 1_000_000_000 }), createUse("/a")])).toMatchObject([
        { kind: "refused", reason: "uncountable" },
        { kind: "recorded" },
      ]);
    });
  });

  describe("recordUses and budgets", () => {
    const budget = { scope: { kind: "all" }, period: "day", limitMicros: toMicros(30_000), currency: "USD" } as const;

    it("does not flag the use that makes a budget exactly full, and flags the next", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 10_000 });
      const results = await recordUses(ledger, [createUse("/a"), createUse("/a"), createUse("/a")], {
        budgets: [budget],
      });
      expect(results.map((result) => result.kind === "recorded" && result.overBudget)).toEqual([false, false, true]);
    });

    it("opens one item for a budget however many uses exceed it", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 40_000 });
      await recordUses(ledger, [createUse("/a"), createUse("/a")], { budgets: [budget] });
      await recordUses(ledger, [createUse("/a")], { budgets: [budget] });
      const { openItems } = await ledger.readStatus();
      expect(openItems.map(({ kind }) => kind)).toEqual(["over_budget_use"]);
      expect(openItems[0]?.detail).toContain("day:2026-11-20");
    });

    it("checks only budgets that cover the host, in the currency of the use; never a run's budget", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 40_000 });
      const results = await recordUses(ledger, [createUse("/a")], {
        budgets: [
          { ...budget, currency: "EUR" },
          { ...budget, scope: { kind: "site", host: "other.example" } },
          { ...budget, scope: { kind: "run" }, period: "total" },
        ],
      });
      expect(results).toMatchObject([{ overBudget: false }]);
    });

    it("does not flag a free use, though the budget is exceeded", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 40_000 });
      await buyPages(ledger, { runId: "run_2", paths: ["/free"], priceMicros: 0 });
      const results = await recordUses(ledger, [createUse("/a"), createUse("/free")], { budgets: [budget] });
      expect(results).toMatchObject([{ overBudget: true }, { overBudget: false }]);
    });

    it("stops buying once uses have exceeded a budget", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 10_000 });
      await recordUses(ledger, [createUse("/a", { times: 3 })], { budgets: [budget] });
      expect(await buyPages(ledger, { runId: "run_2", paths: ["/b"], priceMicros: 0, budgets: [budget] })).toEqual([]);
      expect(await ledger.readRun("run_2")).toMatchObject({ denials: { budget_exhausted: 1 } });
    });
  });

  describe("a billed fetch", () => {
    it("is reserved with the purchase, stays reserved for the use, and is settled from the receipt", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 10_000, useReserveMicros: 10_000 });
      expect(await readSpend(ledger)).toEqual({ spentMicros: 10_000, inDoubtMicros: 0, reservedMicros: 10_000 });
      await settle(ledger, await freeze(ledger, await leaseFlusher(ledger)));
      expect(await readSpend(ledger)).toEqual({ spentMicros: 20_000, inDoubtMicros: 0, reservedMicros: 0 });
      expect((await ledger.readRun("run_1")).usage).toMatchObject({ recorded: 1, reported: 1, pending: 0 });
    });
  });
}
