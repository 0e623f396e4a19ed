import { describe, expect, it } from "vitest";
import type { WalkedEntry } from "../../src/ledger/frontier-ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { LEASE_MS, NOON } from "../doubles/ledger-shop.ts";
import {
  begin,
  decideBatch,
  EMPTY_BOOK,
  HOST,
  leaseMany,
  leaseOne,
  openAcquire,
  RUN,
  readTotal,
  reserve,
  resumeRun,
  start,
  toBudget,
  toEntry,
  toSettlement,
  toSite,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const DAY_MS = 86_400_000;

export function describeRuns(open: OpenLedger): void {
  describe("runs", () => {
    it("creates a run once, with a walk for each site", async () => {
      const ledger = await open();
      const spec = toSpec({ sites: [toSite(), toSite({ host: "blog.example" })] });
      await ledger.createRun(spec);
      await ledger.createRun(spec);
      const leases = await leaseMany(ledger);
      expect(leases.map(({ stage, host }) => [stage, host])).toEqual([
        ["walk", HOST],
        ["walk", "blog.example"],
      ]);
    });

    it("lists the runs that are not over, and no plan", async () => {
      const ledger = await open();
      const list = async () =>
        (await ledger.listUnfinished({ now: NOON, aliveMs: LEASE_MS, gone: [] })).map(({ runId }) => runId);
      expect(await list()).toEqual([]);
      await ledger.createRun(toSpec({ runId: "run_1" }));
      await ledger.createRun(toSpec({ runId: "run_2" }));
      await ledger.createRun(toSpec({ runId: "plan_3", kind: "planning" }));
      expect(await list()).toEqual(["run_1", "run_2"]);
      await ledger.endRun({ runId: "run_2", state: "completed", reason: null, now: NOON });
      expect(await list()).toEqual(["run_1"]);
      await ledger.endRun({ runId: "run_1", state: "interrupted", reason: "SIGINT", now: NOON });
      expect(await list()).toEqual(["run_1"]);
    });

    it.each(["completed", "budget_exhausted", "max_pages", "max_spend", "max_duration", "cancelled"] as const)(
      "releases what is reserved when a run is over, and counts neither a page bought nor a failure: %s",
      async (state) => {
        const ledger = await open();
        await reserve(ledger, ["/a", "/b"]);
        await ledger.endRun({ runId: RUN, state, reason: null, now: NOON });
        expect(await readTotal(ledger)).toEqual({ spentMicros: 0, inDoubtMicros: 0, reservedMicros: 0 });
        expect(await ledger.readRun(RUN)).toMatchObject({ failures: {}, pages: { approved: 0, failed: 0 } });
        expect(await ledger.readPage(`https://${HOST}/a`)).toMatchObject({ purchases: [{ reason: "run_ended" }] });
        expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ violations: [] });
      },
    );

    it("puts in doubt what was sent and not answered when the run is over, and still accepts the answer", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a"]);
      const { leaseId, purchases } = await openAcquire(ledger);
      const purchaseId = purchases[0]?.purchaseId ?? 0;
      await start(ledger, leaseId, purchaseId);
      await ledger.endRun({ runId: RUN, state: "max_duration", reason: null, now: NOON });
      expect(await readTotal(ledger)).toMatchObject({ inDoubtMicros: 10_000, reservedMicros: 0 });
      await ledger.settlePurchase(toSettlement(purchaseId));
      expect(await readTotal(ledger)).toEqual({ spentMicros: 10_000, inDoubtMicros: 0, reservedMicros: 0 });
    });

    it("keeps the first end", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
      await ledger.endRun({ runId: RUN, state: "failed", reason: "late", now: NOON + 1 });
      expect(await ledger.readRun(RUN)).toMatchObject({ state: "completed", reason: null, endedAt: NOON });
      await expect(
        ledger.endRun({ runId: "run_0", state: "completed", reason: null, now: NOON }),
      ).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    });

    it("leave nothing of a plan except what it learned of pages", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec({ runId: "plan_1", kind: "planning" }));
      await walkPage(ledger, { entries: [toEntry("/a")], runId: "plan_1" });
      expect(await decideBatch(ledger, { runId: "plan_1", book: EMPTY_BOOK })).toMatchObject({ approved: 1 });
      await ledger.discardPlan("plan_1");
      await ledger.discardPlan("plan_1");
      await expect(ledger.readRun("plan_1")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
      expect(await ledger.readPage(`https://${HOST}/a`)).toMatchObject({ stored: null });
    });

    it("delete a plan that a crash left behind, and none that is in progress", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec({ runId: "plan_1", kind: "planning" }));
      await leaseMany(ledger, { runId: "plan_1", now: NOON, leaseMs: 1_000 });
      await ledger.createRun(toSpec({ runId: "run_2", startedAt: NOON + 999 }));
      expect(await ledger.readProgress({ runId: "plan_1", now: NOON })).toMatchObject({ openBatches: 1 });
      await ledger.createRun(toSpec({ runId: "run_3", startedAt: NOON + 1_000 }));
      expect(await ledger.readProgress({ runId: "plan_1", now: NOON })).toMatchObject({ openBatches: 0 });
    });

    it("leave a plan alone while its process lives, also between two leases", async () => {
      const ledger = await open();
      const worker = { process: "here:1:plan", now: NOON, aliveMs: LEASE_MS, gone: [] };
      await ledger.createRun(toSpec({ runId: "plan_1", kind: "planning" }), worker);
      const now = NOON + LEASE_MS - 1;
      await begin(ledger, { which: { kind: "fresh" }, process: "here:2:run", now, runId: "run_2" });
      expect(await ledger.readRun("plan_1")).toMatchObject({ state: "running" });
      expect(await ledger.renewRun({ runId: "plan_1", process: worker.process, aliveUntil: now + LEASE_MS })).toBe(
        true,
      );
      await begin(ledger, { which: { kind: "fresh" }, process: "here:2:run", now: now + 1, runId: "run_2" });
      expect(await ledger.readRun("plan_1")).toMatchObject({ state: "running" });
      const later = now + LEASE_MS;
      await ledger.createRun(toSpec({ runId: "plan_2", kind: "planning" }), { ...worker, now: later });
      await expect(ledger.readRun("plan_1")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    });
  });

  describeHighWater(open);
}

function describeHighWater(open: OpenLedger): void {
  describe("the high-water mark", () => {
    const sites = [toSite({ fullWalkEveryMs: 7 * DAY_MS, overlapMs: 1_000 })];
    const entry = toEntry("/a", { lastMod: "2026-11-19", lastModAt: NOON - DAY_MS });

    /** Where the next run's walk stops; null for a full walk. */
    async function nextStop(
      ledger: Awaited<ReturnType<OpenLedger>>,
      startedAt = NOON + DAY_MS,
    ): Promise<number | null> {
      await ledger.createRun(toSpec({ runId: "run_next", startedAt, sites }));
      const { leaseId } = await leaseOne(ledger, "walk", { runId: "run_next", now: startedAt });
      return (await ledger.openWalk(leaseId))?.walk.stopBelowAt ?? null;
    }

    async function walkAndBuy(
      ledger: Awaited<ReturnType<OpenLedger>>,
      nextPageToken: string | null = null,
    ): Promise<void> {
      await ledger.createRun(toSpec({ sites }));
      await walkPage(ledger, { entries: [entry], nextPageToken, quoteBatchSize: 1 });
      await decideBatch(ledger);
      const { leaseId, purchases } = await openAcquire(ledger);
      const purchaseId = purchases[0]?.purchaseId ?? 0;
      await start(ledger, leaseId, purchaseId);
      await ledger.settlePurchase(toSettlement(purchaseId));
      await ledger.finishAcquireBatch(leaseId);
    }

    /** Walks the whole catalog, in which nothing is worth buying. */
    async function walkTo(
      ledger: Awaited<ReturnType<OpenLedger>>,
      { runId, newestAt, leasedAt }: { readonly runId: string; readonly newestAt: number; readonly leasedAt: number },
      entries: readonly WalkedEntry[],
    ): Promise<void> {
      const { leaseId } = await leaseOne(ledger, "walk", { runId, now: leasedAt });
      const opened = await ledger.openWalk(leaseId);
      const { walk } = opened as NonNullable<typeof opened>;
      await ledger.recordCatalogPage({
        leaseId,
        now: newestAt,
        entries,
        rejected: [],
        refresh: { when: "modified", maxAgeMs: null },
        next: { ...walk, pagesRead: 1, newestAt, ended: "complete" },
        quoteBatchSize: 1,
        intent: "content",
      });
    }

    it("moves to the newest entry when nothing of the walk is left over, less the overlap", async () => {
      const ledger = await open();
      await walkAndBuy(ledger);
      await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
      expect(await nextStop(ledger)).toBe(NOON - DAY_MS - 1_000);
    });

    it("allows a full walk when the last one is old enough", async () => {
      const ledger = await open();
      await walkAndBuy(ledger);
      await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
      expect(await nextStop(ledger, NOON + 7 * DAY_MS)).toBeNull();
    });

    it("is not trusted, nor is the last full walk, if a clock that was ahead wrote it: the next walk is full, and corrects it", async () => {
      const ledger = await open();
      await walkAndBuy(ledger);
      await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
      const before = NOON - 30 * DAY_MS;
      expect(await nextStop(ledger, before)).toBeNull();
      const older = { ...entry, lastMod: "2026-10-20", lastModAt: before };
      await walkTo(ledger, { runId: "run_next", newestAt: before, leasedAt: before + LEASE_MS }, [older]);
      await ledger.endRun({ runId: "run_next", state: "completed", reason: null, now: before, drained: true });
      await ledger.createRun(toSpec({ runId: "run_fixed", startedAt: before + DAY_MS, sites }));
      const fixed = await leaseOne(ledger, "walk", { runId: "run_fixed", now: before + DAY_MS });
      expect((await ledger.openWalk(fixed.leaseId))?.walk.stopBelowAt).toBe(before - 1_000);
    });

    it("is not trusted if only the mark is in the future, after an incremental walk under a clock that was ahead", async () => {
      const ledger = await open();
      await walkAndBuy(ledger);
      await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
      const ahead = NOON + 5 * DAY_MS;
      await ledger.createRun(toSpec({ runId: "run_ahead", startedAt: ahead, sites }));
      await walkTo(ledger, { runId: "run_ahead", newestAt: ahead, leasedAt: ahead }, []);
      await ledger.endRun({ runId: "run_ahead", state: "completed", reason: null, now: ahead, drained: true });
      expect(await nextStop(ledger)).toBeNull();
    });

    it.each(["quote_refused", "not_quoted", "no_budget_in_currency", "no_rule_matched"] as const)(
      "under a largest spend stays for a page that another run might buy, and moves past one that none would buy: %s",
      async (reason) => {
        const ledger = await open();
        await ledger.createRun(toSpec({ sites, maxSpend: { micros: toMicros(10_000), currency: "EUR" } }));
        await walkPage(ledger, { entries: [entry] });
        const verdict = { kind: "denied", ruleIndex: null, reason, detail: null } as const;
        await decideBatch(ledger, {
          decisions: (pageIds) => pageIds.map((pageId) => ({ pageId, listing: null, verdict })),
        });
        await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
        expect(await nextStop(ledger)).toBe(reason === "no_rule_matched" ? NOON - DAY_MS - 1_000 : null);
      },
    );

    it("moves past a page in a currency that no budget covers, if no largest spend hides one", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec({ sites }));
      await walkPage(ledger, { entries: [entry] });
      await decideBatch(ledger, { budgets: [toBudget(1, { currency: "EUR" })] });
      await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
      expect(await nextStop(ledger)).toBe(NOON - DAY_MS - 1_000);
    });

    it("moves after a run that was interrupted and continued to its end", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec({ sites }));
      await walkPage(ledger, { entries: [entry] });
      await decideBatch(ledger);
      await resumeRun(ledger, { configured: sites });
      await decideBatch(ledger);
      const { leaseId, purchases } = await openAcquire(ledger);
      await start(ledger, leaseId, purchases[0]?.purchaseId ?? 0);
      await ledger.settlePurchase(toSettlement(purchases[0]?.purchaseId ?? 0));
      await ledger.finishAcquireBatch(leaseId);
      await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON, drained: true });
      expect(await nextStop(ledger)).toBe(NOON - DAY_MS - 1_000);
    });

    it("stays when a reservation was released at the end of the run", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec({ sites }));
      await walkPage(ledger, { entries: [entry] });
      await decideBatch(ledger);
      await ledger.endRun({ runId: RUN, state: "max_duration", reason: null, now: NOON });
      expect(await nextStop(ledger)).toBeNull();
    });

    it("stays when the run was interrupted", async () => {
      const ledger = await open();
      await walkAndBuy(ledger);
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: null, now: NOON });
      expect(await nextStop(ledger)).toBeNull();
    });

    it("stays when a page was denied by a limit", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec({ sites }));
      await walkPage(ledger, { entries: [entry] });
      await decideBatch(ledger, { budgets: [toBudget(9_999)] });
      await ledger.endRun({ runId: RUN, state: "budget_exhausted", reason: null, now: NOON });
      expect(await nextStop(ledger)).toBeNull();
    });

    it("stays when a purchase was released or is in doubt", async () => {
      for (const ending of ["release", "doubt"] as const) {
        const ledger = await open();
        await ledger.createRun(toSpec({ sites }));
        await walkPage(ledger, { entries: [entry] });
        await decideBatch(ledger);
        const { leaseId, purchases } = await openAcquire(ledger);
        const purchaseId = purchases[0]?.purchaseId ?? 0;
        await start(ledger, leaseId, purchaseId);
        if (ending === "release") {
          await ledger.releasePurchase({ purchaseId, reason: "content_refused", detail: "404", now: NOON });
        } else {
          await ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "401", now: NOON });
        }
        await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
        expect(await nextStop(ledger), ending).toBeNull();
      }
    });

    it("stays when the walk was cut or pages still wait", async () => {
      for (const ending of ["cut", "waiting"] as const) {
        const ledger = await open();
        if (ending === "cut") {
          await walkAndBuy(ledger, "2");
          const { leaseId } = await leaseOne(ledger, "walk");
          await ledger.endWalk({ leaseId, warning: "the catalog cannot be read", now: NOON });
        } else {
          await ledger.createRun(toSpec({ sites }));
          await walkPage(ledger, { entries: [entry] });
        }
        await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
        expect(await nextStop(ledger), ending).toBeNull();
      }
    });
  });

  describe("stopping a site", () => {
    it("ends its walk and quotes and releases what is reserved, keeps what was sent, and keeps the first reason", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await walkPage(ledger, {
        entries: [toEntry("/a"), toEntry("/b"), toEntry("/c"), toEntry("/d")],
        nextPageToken: "2",
        quoteBatchSize: 3,
      });
      await decideBatch(ledger);
      const { leaseId, purchases } = await openAcquire(ledger);
      await start(ledger, leaseId, purchases[0]?.purchaseId ?? 0);
      await ledger.stopSite({ runId: RUN, host: HOST, stop: "not_enabled", detail: "403 everywhere", now: NOON });
      await ledger.stopSite({ runId: RUN, host: HOST, stop: "failed", detail: "later", now: NOON });
      expect(await readTotal(ledger)).toMatchObject({ reservedMicros: 10_000 });
      expect((await ledger.readRun(RUN)).sites[0]).toMatchObject({ stop: "not_enabled", stopDetail: "403 everywhere" });
      expect(await ledger.readProgress({ runId: RUN, now: NOON })).toMatchObject({ openBatches: 1, leasedBatches: 1 });
      expect(await start(ledger, leaseId, purchases[1]?.purchaseId ?? 0)).toBe(false);
    });

    it("ends a drained run only while nothing of it is left", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a"]);
      const end = { runId: RUN, state: "completed", reason: null, now: NOON } as const;
      expect(await ledger.endRun({ ...end, drained: true })).toBe(false);
      expect((await ledger.readRun(RUN)).state).toBe("running");
      expect(await ledger.endRun(end)).toBe(true);
      expect((await ledger.readRun(RUN)).state).toBe("completed");
      expect(await ledger.endRun({ ...end, drained: true })).toBe(true);
    });

    it("finishes what is reserved when a limit stopped it", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a", "/b"], {}, { maxSpend: { micros: toMicros(10_000), currency: "USD" } });
      expect((await ledger.readRun(RUN)).sites[0]).toMatchObject({ stop: "max_spend" });
      const { leaseId, purchases } = await openAcquire(ledger);
      expect(purchases).toHaveLength(1);
      expect(await start(ledger, leaseId, purchases[0]?.purchaseId ?? 0)).toBe(true);
    });

    it("applies to an overcharge also where a limit had stopped it, and reopening does not end that", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a", "/b", "/c"], {}, { maxSpend: { micros: toMicros(20_000), currency: "USD" } });
      const { leaseId, purchases } = await openAcquire(ledger);
      const [first = 0, second = 0] = purchases.map(({ purchaseId }) => purchaseId);
      await start(ledger, leaseId, first);
      await ledger.settlePurchase(toSettlement(first, { charge: { micros: toMicros(12_500), currency: "USD" } }));
      expect((await ledger.readRun(RUN)).sites[0]).toMatchObject({ stop: "overcharged" });
      expect(await start(ledger, leaseId, second)).toBe(false);
      expect(await readTotal(ledger)).toMatchObject({ reservedMicros: 0, spentMicros: 12_500 });
      await resumeRun(ledger);
      expect((await ledger.readRun(RUN)).sites[0]).toMatchObject({ stop: "overcharged" });
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ violations: [] });
    });
  });
}
