import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { buyPages, LEASE_MS, NOON, ON_DEMAND } from "../doubles/ledger-shop.ts";
import {
  createUse,
  freeze,
  leaseFlusher,
  readBody,
  recordUses,
  settle,
  WINDOW_MS,
} from "../doubles/usage-outbox-driver.ts";

const NOTHING_WAITS = { unbatched: 0, inBatches: 0, reported: 0, nextAttemptAt: null };

/** What every ledger promises of its outbox: one flusher, frozen bytes, nothing blocked. */
export function describeOutbox(open: () => Promise<Ledger>): void {
  describe("the flusher's lease", () => {
    it("belongs to one flusher at a time, until it expires", async () => {
      const ledger = await open();
      const fence = await leaseFlusher(ledger);
      expect(await ledger.leaseFlusher({ now: NOON + LEASE_MS - 1, leaseMs: LEASE_MS })).toBeNull();
      const next = await ledger.leaseFlusher({ now: NOON + LEASE_MS, leaseMs: LEASE_MS });
      expect(next?.fence).toBeGreaterThan(fence);
    });

    it("taken by a clock that was set back since no longer blocks", async () => {
      const ledger = await open();
      const ahead = await leaseFlusher(ledger, NOON + 3_600_000);
      const next = await ledger.leaseFlusher({ now: NOON, leaseMs: LEASE_MS });
      expect(next?.fence).toBeGreaterThan(ahead);
      expect(await ledger.renewFlusher({ fence: ahead, expiresAt: NOON + LEASE_MS })).toBe(false);
    });

    it("is renewed by its holder, also late, and never by a former one", async () => {
      const ledger = await open();
      const fence = await leaseFlusher(ledger);
      expect(await ledger.renewFlusher({ fence, expiresAt: NOON + 2 * LEASE_MS })).toBe(true);
      expect(await ledger.leaseFlusher({ now: NOON + LEASE_MS, leaseMs: LEASE_MS })).toBeNull();
      await leaseFlusher(ledger, NOON + 2 * LEASE_MS);
      expect(await ledger.renewFlusher({ fence, expiresAt: NOON + 9 * LEASE_MS })).toBe(false);
    });

    it("is free at once when it is released; a former holder releases nothing", async () => {
      const ledger = await open();
      const first = await leaseFlusher(ledger);
      await ledger.releaseFlusher(first);
      expect(await ledger.renewFlusher({ fence: first, expiresAt: NOON + LEASE_MS })).toBe(false);
      const second = await leaseFlusher(ledger);
      await ledger.releaseFlusher(first);
      expect(await ledger.renewFlusher({ fence: second, expiresAt: NOON + LEASE_MS })).toBe(true);
    });

    it("makes every call of a former holder stale, except the gateway's answer", async () => {
      const ledger = await open();
      await buyPages(ledger);
      const old = await leaseFlusher(ledger);
      const batch = await freeze(ledger, old);
      await leaseFlusher(ledger, NOON + LEASE_MS);
      const { reportId } = batch;
      expect(await ledger.nextReport({ fence: old, now: NOON, windowMs: WINDOW_MS })).toBeNull();
      expect(
        await ledger.freezeReport({
          fence: old,
          idempotencyId: "x",
          maxEntries: 1,
          licenseIdField: "licenseCuid",
          now: NOON,
        }),
      ).toBeNull();
      expect(await ledger.recordAttempt({ fence: old, reportId, now: NOON })).toBe(false);
      expect(
        await ledger.postponeReport({ fence: old, reportId, notBefore: NOON, detail: "late", unknownAttempts: 0 }),
      ).toBe(false);
      const rejection = {
        fence: old,
        reportId,
        status: 400,
        detail: "bad",
        idempotencyIds: ["b", "c"],
        licenseIdField: "licenseCuid",
        now: NOON,
      } as const;
      expect(await ledger.rejectReport(rejection)).toBe("stale");
      expect(await settle(ledger, batch)).toBe(true);
    });
  });

  describe("freezeReport", () => {
    it("adds up the uses of a page under one license and price, oldest first", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/b", "/a"], priceMicros: 10_000 });
      await recordUses(ledger, [createUse("/a", { times: 4 }), createUse("/b", { times: 2 })]);
      const { entries } = await freeze(ledger, await leaseFlusher(ledger));
      const uses = new Map(entries.map(({ url, timesUsed }) => [url, timesUsed]));
      expect(uses).toEqual(
        new Map([
          ["https://news.example/b", 3],
          ["https://news.example/a", 5],
        ]),
      );
      expect(entries.map(({ licenseCuid }) => licenseCuid)).toEqual(["cuid-on-demand", "cuid-on-demand"]);
    });

    it("keeps uses of one page separate where license, price or currency differ", async () => {
      const ledger = await open();
      await buyPages(ledger, { intent: "indexing" });
      const terms = { license: ON_DEMAND, unitMicros: toMicros(700), currency: "USD" };
      const full = { ...ON_DEMAND, licenseType: "ON_DEMAND_FULL_USE_LICENSE" };
      await recordUses(ledger, [
        createUse("/a", { terms }),
        createUse("/a", { terms: { ...terms, license: full } }),
        createUse("/a", { terms: { ...terms, license: { ...ON_DEMAND, cuid: "other" } } }),
        createUse("/a", { terms: { ...terms, unitMicros: toMicros(800) } }),
        createUse("/a", { terms: { ...terms, currency: "EUR" } }),
        createUse("/a", { terms, times: 5 }),
      ]);
      const { entries } = await freeze(ledger, await leaseFlusher(ledger));
      expect(entries.map(({ timesUsed }) => timesUsed)).toEqual([6, 1, 1, 1, 1]);
    });

    it("names the permissions of each license where the gateway requires them, in the halves too", async () => {
      const ledger = await open();
      await buyPages(ledger, { intent: "indexing" });
      const terms = { license: ON_DEMAND, unitMicros: toMicros(700), currency: "USD" };
      for (const permissions of [["PARTIAL_USE"], ["FULL_USE", "PARTIAL_USE"], null]) {
        await recordUses(ledger, [createUse("/a", { terms: { ...terms, license: { ...ON_DEMAND, permissions } } })]);
      }
      const fence = await leaseFlusher(ledger);
      const form = { licenseIdField: "licenseCuid", reportPermissions: true };
      const batch = await freeze(ledger, fence, form);
      const sent = [[{ name: "PARTIAL_USE" }], [{ name: "FULL_USE" }, { name: "PARTIAL_USE" }], undefined];
      expect(readBody(batch).usage.map(({ licensePermissions }) => licensePermissions)).toEqual(sent);
      const rejection = { fence, reportId: batch.reportId, status: 400, detail: "no", now: NOON, ...form };
      expect(await ledger.rejectReport({ ...rejection, idempotencyIds: ["x", "y"] })).toBe("bisected");
      const half = await ledger.nextReport({ fence, now: NOON, windowMs: WINDOW_MS });
      expect(half && readBody(half).usage.map(({ licensePermissions }) => licensePermissions)).toEqual(
        sent.slice(0, 2),
      );
      expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
    });

    it("writes the specification's body, with the id of a license under the gateway's name for it", async () => {
      const ledger = await open();
      await buyPages(ledger);
      const batch = await freeze(ledger, await leaseFlusher(ledger), {
        licenseIdField: "licenseId",
        idempotencyId: "id-7",
      });
      expect(readBody(batch)).toEqual({
        idempotencyId: "id-7",
        usage: [
          {
            url: "https://news.example/a",
            timesUsed: 1,
            licenseType: "ON_DEMAND_LICENSE",
            licenseId: "cuid-on-demand",
          },
        ],
      });
    });

    it("fills a batch to maxEntries exactly, and leaves the next entry for the next batch", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/1", "/2", "/3"] });
      await recordUses(ledger, [createUse("/1"), createUse("/3")]);
      const fence = await leaseFlusher(ledger);
      const sizes: number[] = [];
      for (const idempotencyId of ["a", "b", "c"]) {
        const batch = await ledger.freezeReport({
          fence,
          idempotencyId,
          maxEntries: 2,
          licenseIdField: "licenseCuid",
          now: NOON,
        });
        sizes.push(batch?.entries.length ?? 0);
      }
      expect(sizes).toEqual([2, 2, 0]);
      expect(await ledger.countPendingUses()).toMatchObject({ unbatched: 0, inBatches: 5 });
    });

    it("returns the same bytes however often it is read, and freezes one batch per id", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/a", "/b"] });
      const fence = await leaseFlusher(ledger);
      const frozen = await freeze(ledger, fence, { licenseIdField: "licenseId" });
      await recordUses(ledger, [createUse("/a")]);
      expect(await freeze(ledger, fence, { licenseIdField: "licenseCuid" })).toEqual(frozen);
      expect(await ledger.nextReport({ fence, now: NOON, windowMs: WINDOW_MS })).toEqual(frozen);
    });

    it("is null when nothing is unreported", async () => {
      const ledger = await open();
      const fence = await leaseFlusher(ledger);
      const request = { fence, idempotencyId: "a", maxEntries: 5, licenseIdField: "licenseCuid", now: NOON };
      expect(await ledger.freezeReport(request)).toBeNull();
      expect(await ledger.countPendingUses()).toEqual(NOTHING_WAITS);
    });

    it("sends the spelling of the page's URL that the gateway knows", async () => {
      const ledger = await open();
      await buyPages(ledger);
      const { entries } = await freeze(ledger, await leaseFlusher(ledger));
      expect(entries.map(({ url }) => url)).toEqual(["https://news.example/a"]);
    });
  });

  describe("nextReport", () => {
    it("returns the oldest that may be sent; a postponed report does not block newer ones", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/1", "/2"] });
      const fence = await leaseFlusher(ledger);
      const first = await freeze(ledger, fence, { maxEntries: 1, idempotencyId: "a" });
      const second = await freeze(ledger, fence, { maxEntries: 1, idempotencyId: "b" });
      const next = async (now: number) =>
        (await ledger.nextReport({ fence, now, windowMs: WINDOW_MS }))?.reportId ?? null;
      expect(await next(NOON)).toBe(first.reportId);
      await ledger.postponeReport({
        fence,
        reportId: first.reportId,
        notBefore: NOON + 10,
        detail: "HTTP 503",
        unknownAttempts: 0,
      });
      expect(await next(NOON + 9)).toBe(second.reportId);
      expect(await next(NOON + 10)).toBe(first.reportId);
      expect(await ledger.countPendingUses()).toEqual({ unbatched: 0, inBatches: 2, reported: 0, nextAttemptAt: 0 });
    });

    it("says when the next attempt is due where all are postponed", async () => {
      const ledger = await open();
      await buyPages(ledger);
      const fence = await leaseFlusher(ledger);
      const { reportId } = await freeze(ledger, fence);
      await ledger.postponeReport({ fence, reportId, notBefore: NOON + 50, detail: "", unknownAttempts: 0 });
      expect(await ledger.nextReport({ fence, now: NOON, windowMs: WINDOW_MS })).toBeNull();
      expect((await ledger.countPendingUses()).nextAttemptAt).toBe(NOON + 50);
    });

    it("sends a report that was postponed by a clock that has been set back since", async () => {
      const ledger = await open();
      await buyPages(ledger);
      const fence = await leaseFlusher(ledger);
      const { reportId } = await freeze(ledger, fence);
      const ahead = NOON + 2 * 86_400_000;
      await ledger.postponeReport({ fence, reportId, notBefore: ahead, detail: "", unknownAttempts: 0 });
      expect((await ledger.nextReport({ fence, now: NOON, windowMs: WINDOW_MS }))?.reportId).toBe(reportId);
    });

    it("counts attempts, and keeps the first one's time", async () => {
      const ledger = await open();
      await buyPages(ledger);
      const fence = await leaseFlusher(ledger);
      const { reportId } = await freeze(ledger, fence);
      expect(await ledger.recordAttempt({ fence, reportId, now: NOON + 1 })).toBe(true);
      expect(await ledger.recordAttempt({ fence, reportId, now: NOON + 2 })).toBe(true);
      const batch = await ledger.nextReport({ fence, now: NOON + 2, windowMs: WINDOW_MS });
      expect(batch).toMatchObject({ attempts: 2, firstAttemptAt: NOON + 1, unknownAttempts: 2 });
    });

    it("sends a batch until the end of its window, and a millisecond later it needs to be reconciled", async () => {
      const ledger = await open();
      await buyPages(ledger, { useReserveMicros: 10_000 });
      const fence = await leaseFlusher(ledger);
      const batch = await freeze(ledger, fence);
      await ledger.recordAttempt({ fence, reportId: batch.reportId, now: NOON });
      const at = async (now: number) => ledger.nextReport({ fence, now, windowMs: WINDOW_MS });
      expect((await at(NOON + WINDOW_MS))?.reportId).toBe(batch.reportId);
      expect(await at(NOON + WINDOW_MS + 1)).toBeNull();
      const status = await ledger.readStatus();
      expect(status.openItems).toMatchObject([{ kind: "needs_reconcile", batchId: batch.reportId }]);
      expect(status.usage).toMatchObject({ pending: 0, needsReconcile: 1 });
      expect(status.spend.USD?.reservedMicros).toBe(10_000);
      expect(await ledger.recordAttempt({ fence, reportId: batch.reportId, now: NOON })).toBe(false);
    });

    it("undoes an attempt that certainly did not arrive: the window then begins with the next that may have arrived", async () => {
      const ledger = await open();
      await buyPages(ledger);
      const fence = await leaseFlusher(ledger);
      const { reportId } = await freeze(ledger, fence);
      await ledger.recordAttempt({ fence, reportId, now: NOON });
      const postponement = { fence, reportId, notBefore: NOON, detail: "refused", unknownAttempts: 0 };
      expect(await ledger.postponeReport(postponement)).toBe(true);
      expect(await ledger.postponeReport(postponement)).toBe(true);
      const later = NOON + 10 * WINDOW_MS;
      expect(await ledger.nextReport({ fence, now: later, windowMs: WINDOW_MS })).toMatchObject({
        attempts: 1,
        unknownAttempts: 0,
      });
      await ledger.recordAttempt({ fence, reportId, now: later });
      await ledger.postponeReport({ ...postponement, unknownAttempts: 1 });
      await ledger.recordAttempt({ fence, reportId, now: later + 5 });
      await ledger.postponeReport({ ...postponement, unknownAttempts: 1 });
      expect(await ledger.nextReport({ fence, now: later + WINDOW_MS, windowMs: WINDOW_MS })).toMatchObject({
        unknownAttempts: 1,
      });
      expect(await ledger.nextReport({ fence, now: later + WINDOW_MS + 1, windowMs: WINDOW_MS })).toBeNull();
      expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
    });

    it("never leaves a batch to reconcile that was not sent, however old it is", async () => {
      const ledger = await open();
      await buyPages(ledger);
      const fence = await leaseFlusher(ledger);
      const { reportId } = await freeze(ledger, fence);
      expect((await ledger.nextReport({ fence, now: NOON + 10 * WINDOW_MS, windowMs: WINDOW_MS }))?.reportId).toBe(
        reportId,
      );
    });

    it("books an answer that comes for a batch that needs to be reconciled", async () => {
      const ledger = await open();
      await buyPages(ledger, { useReserveMicros: 10_000 });
      const fence = await leaseFlusher(ledger);
      const batch = await freeze(ledger, fence);
      await ledger.recordAttempt({ fence, reportId: batch.reportId, now: NOON });
      await ledger.nextReport({ fence, now: NOON + WINDOW_MS + 1, windowMs: WINDOW_MS });
      expect(await settle(ledger, batch)).toBe(true);
      const status = await ledger.readStatus();
      expect(status.openItems).toEqual([]);
      expect(status.usage).toMatchObject({ reported: 1, needsReconcile: 0 });
    });
  });
}
