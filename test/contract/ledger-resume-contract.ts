import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { LEASE_MS, NOON } from "../doubles/ledger-shop.ts";
import {
  begin,
  decideBatch,
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

const HOUR_MS = 3_600_000;
const usd = (micros: number) => ({ micros: toMicros(micros), currency: "USD" });
/** By a service that looks for what was left. */
const FOUND_DEAD = {
  which: { kind: "named", runId: RUN, asker: { by: "service", configured: [HOST] } },
  process: "here:2:b",
  now: NOON + HOUR_MS,
} as const;
const SAID = { maxPages: null, maxSpend: null };

async function buyAll(ledger: Ledger, now = NOON): Promise<number> {
  const { leaseId, purchases } = await openAcquire(ledger, { now });
  for (const { purchaseId } of purchases) {
    await start(ledger, leaseId, purchaseId);
    await ledger.settlePurchase(toSettlement(purchaseId));
  }
  await ledger.finishAcquireBatch(leaseId);
  return purchases.length;
}

async function expectCleanAudit(ledger: Ledger): Promise<void> {
  expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ violations: [] });
}

export function describeResuming(open: OpenLedger): void {
  describe("resuming a run", () => {
    it("is not done by a service that found it dead when a person has stopped it meanwhile", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: "SIGINT", endedBy: "person", now: NOON });
      await expect(begin(ledger, FOUND_DEAD)).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
      expect(await begin(ledger, { ...FOUND_DEAD, which: { kind: "named", runId: RUN } })).toMatchObject({
        kind: "begun",
      });
    });

    it("is done by a service that finds it dead", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      expect(await begin(ledger, FOUND_DEAD)).toMatchObject({ kind: "begun" });
    });

    it("decides anew what was only reserved, and continues with waiting pages and the walk", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await walkPage(ledger, { entries: [toEntry("/a")], nextPageToken: "2", quoteBatchSize: 1 });
      await decideBatch(ledger);
      const { leaseId } = await leaseOne(ledger, "acquire");
      expect(await resumeRun(ledger, { callerLimits: { maxPages: 7, maxSpend: null } })).toEqual(
        toSpec({ maxPages: 7 }),
      );
      expect(await readTotal(ledger)).toMatchObject({ reservedMicros: 0 });
      expect(await ledger.openAcquireBatch(leaseId)).toBeNull();
      expect((await leaseMany(ledger)).map(({ stage }) => stage)).toEqual(["quote", "walk"]);
      expect(await ledger.readRun(RUN)).toMatchObject({ failures: {}, pages: { approved: 0, failed: 0 } });
      await expectCleanAudit(ledger);
    });

    it("does not wait for earlier backoffs", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      const { leaseId } = await leaseOne(ledger, "walk");
      await ledger.returnBatch({ leaseId, notBefore: NOON + HOUR_MS });
      await resumeRun(ledger);
      expect((await leaseMany(ledger)).map(({ stage }) => stage)).toEqual(["walk"]);
    });

    it("ends the stops that new limits may end, and decides their denied pages again", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a", "/b", "/c"], {}, { maxPages: 1 });
      expect((await ledger.readRun(RUN)).sites[0]).toMatchObject({ stop: "max_pages" });
      await resumeRun(ledger, { callerLimits: { maxPages: 3, maxSpend: null } });
      const [lease] = await leaseMany(ledger);
      expect((await ledger.openQuoteBatch(lease?.leaseId ?? ""))?.pages.map(({ url }) => url)).toEqual(
        ["/a", "/b", "/c"].map((path) => `https://${HOST}${path}`),
      );
      expect((await ledger.readRun(RUN)).denials).toEqual({});
    });

    it("does not end the stop of a site that is not enabled", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await ledger.stopSite({ runId: RUN, host: HOST, stop: "not_enabled", detail: "no", now: NOON });
      await resumeRun(ledger);
      expect(await leaseMany(ledger)).toEqual([]);
    });

    it("stops a site that is not configured any more, and applies the present terms to the others", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec({ sites: [toSite(), toSite({ host: "shop.example" })] }));
      await walkPage(ledger, { entries: [toEntry("/a")] });
      const [walk, quote] = await leaseMany(ledger);
      await ledger.returnBatch({ leaseId: walk?.leaseId ?? "", notBefore: NOON + HOUR_MS });
      await ledger.returnBatch({ leaseId: quote?.leaseId ?? "", notBefore: NOON });
      await decideBatch(ledger);
      const spec = await resumeRun(ledger, { configured: [toSite({ host: "shop.example", maxPages: 3 })] });
      expect(spec.sites[1]).toMatchObject({ host: "shop.example", maxPages: 3 });
      expect((await ledger.readRun(RUN)).sites).toMatchObject([{ stop: "not_configured" }, { stop: null }]);
      expect((await leaseMany(ledger)).map(({ host }) => host)).toEqual(["shop.example"]);
      expect(await readTotal(ledger)).toMatchObject({ reservedMicros: 0 });
      await expectCleanAudit(ledger);
    });
  });

  describe("the limits of a run", () => {
    it("count what it had bought before: if the number of pages is already exceeded, it buys nothing", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a", "/b", "/c"], { budgets: [toBudget(20_000)] });
      expect(await buyAll(ledger)).toBe(2);
      for (const maxPages of [1, 2]) {
        await resumeRun(ledger, { callerLimits: { maxPages, maxSpend: null } });
        expect(await decideBatch(ledger)).toMatchObject({ approved: 0, exhausted: { stop: "max_pages" } });
      }
      await resumeRun(ledger, { callerLimits: { maxPages: 3, maxSpend: null } });
      expect(await decideBatch(ledger)).toMatchObject({ approved: 1 });
    });

    it("count no page twice that was reserved, released, and reserved again", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a", "/b"], {}, { maxPages: 2 });
      await resumeRun(ledger);
      expect(await decideBatch(ledger)).toMatchObject({ approved: 2 });
      expect(await ledger.readRun(RUN)).toMatchObject({ pages: { approved: 2 } });
      await expectCleanAudit(ledger);
    });

    it("count what it had spent before: if the largest spend is already exceeded, it buys nothing", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a", "/b"], { budgets: [toBudget(10_000)] });
      await buyAll(ledger);
      await resumeRun(ledger, { callerLimits: { maxPages: null, maxSpend: usd(5_000) } });
      expect(await decideBatch(ledger)).toMatchObject({ approved: 0, exhausted: { stop: "max_spend" } });
    });

    it("stay unless the call gives others, and those of the configuration make them tighter", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec({ maxPages: 5, maxSpend: usd(5_000) }));
      expect(await resumeRun(ledger)).toMatchObject({ maxPages: 5, maxSpend: usd(5_000) });
      const limits = { maxPages: 4, maxSpend: usd(9_000), maxDurationMs: null };
      expect(await resumeRun(ledger, { limits })).toMatchObject({ maxPages: 4, maxSpend: usd(5_000) });
      const callerLimits = { maxPages: 9, maxSpend: usd(0) };
      expect(await resumeRun(ledger, { limits, callerLimits })).toMatchObject(callerLimits);
    });

    it("count how long it has worked, over all its processes, without the time in between", async () => {
      const ledger = await open();
      const limits = { ...SAID, maxDurationMs: HOUR_MS };
      await begin(ledger, { which: { kind: "fresh" }, runId: RUN, limits });
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: null, now: NOON + HOUR_MS / 4 });
      const second = NOON + 5 * HOUR_MS;
      const resumed = await resumeRun(ledger, { now: second, limits });
      expect(resumed.deadlineAt).toBe(second + (3 * HOUR_MS) / 4);
      // It dies a minute later, having said a moment before that it is alive.
      await ledger.renewRun({ runId: RUN, process: "here:2:b", aliveUntil: second + 60_000 + LEASE_MS });
      const third = NOON + 9 * HOUR_MS;
      const again = await begin(ledger, { process: "here:3:c", now: third, limits });
      expect(again).toMatchObject({ spec: { deadlineAt: third + (3 * HOUR_MS) / 4 - 60_000 } });
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: null, now: third + HOUR_MS });
      expect((await resumeRun(ledger, { now: third + 2 * HOUR_MS, limits })).deadlineAt).toBe(third + 2 * HOUR_MS);
    });
  });

  describe("a run that a limit ended", () => {
    it.each(["budget_exhausted", "max_pages", "max_spend", "max_duration"] as const)(
      "can be resumed, walks again, and finds what it has not bought: %s",
      async (state) => {
        const ledger = await open();
        await reserve(ledger, ["/a", "/b", "/c"], { budgets: [toBudget(20_000)] });
        const { leaseId, purchases } = await openAcquire(ledger);
        await start(ledger, leaseId, purchases[0]?.purchaseId ?? 0);
        await ledger.settlePurchase(toSettlement(purchases[0]?.purchaseId ?? 0));
        await ledger.endRun({ runId: RUN, state, reason: null, now: NOON });
        await expectCleanAudit(ledger);
        expect(await begin(ledger, { which: { kind: "newest" } })).toMatchObject({
          resumed: true,
          spec: { runId: RUN },
        });
        await expectCleanAudit(ledger);
        // What was reserved waits already.
        const waiting = await leaseOne(ledger, "quote");
        await walkPage(ledger, { entries: ["/a", "/b", "/c", "/d"].map((path) => toEntry(path)) });
        await ledger.returnBatch({ leaseId: waiting.leaseId, notBefore: NOON });
        let approved = 0;
        while ((await ledger.readProgress({ runId: RUN, now: NOON, stages: ["quote"] })).openBatches > 0) {
          approved += (await decideBatch(ledger)).approved;
          await buyAll(ledger);
        }
        expect(approved).toBe(3);
        await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON, drained: true });
        expect(await ledger.readRun(RUN)).toMatchObject({
          state: "completed",
          pages: { seen: 4, approved: 4, bought: 4, failed: 0, denied: 0 },
        });
        await expectCleanAudit(ledger);
      },
    );

    it("does not walk a completed site again", async () => {
      const ledger = await open();
      const sites = [toSite({ fullWalkEveryMs: HOUR_MS }), toSite({ host: "shop.example" })];
      await ledger.createRun(toSpec({ sites }));
      await walkPage(ledger, { entries: [toEntry("/a", { lastMod: "2026-11-20", lastModAt: NOON - HOUR_MS })] });
      await ledger.stopSite({ runId: RUN, host: "shop.example", stop: "max_pages", detail: "0", now: NOON });
      await decideBatch(ledger);
      await buyAll(ledger);
      await ledger.endRun({ runId: RUN, state: "max_pages", reason: null, now: NOON, drained: true });
      await begin(ledger, { configured: sites });
      expect((await leaseMany(ledger)).map(({ host }) => host)).toEqual(["shop.example"]);
      await expectCleanAudit(ledger);
    });

    it("is not resumed by --resume once a later run has followed, and a complete run never is", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await ledger.endRun({ runId: RUN, state: "max_spend", reason: null, now: NOON });
      await ledger.createRun(toSpec({ runId: "run_2" }));
      await ledger.endRun({ runId: "run_2", state: "completed", reason: null, now: NOON });
      for (const which of [{ kind: "newest" }, { kind: "named", runId: "run_2" }] as const) {
        await expect(begin(ledger, { which })).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
      }
      expect(await begin(ledger)).toMatchObject({ resumed: true });
    });
  });
}
