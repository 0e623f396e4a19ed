import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { buyPages, NOON, startPages } from "../doubles/ledger-shop.ts";
import { freeze, leaseFlusher, settle } from "../doubles/usage-outbox-driver.ts";

const LATER = NOON + 60_000;

/** @param open a ledger with the mark of a copy, made at noon, and one without */
export function describeCopies(open: (isCopy: boolean) => Promise<Ledger>): void {
  describe("copies", () => {
    it("are told from ledgers by their mark", async () => {
      const ledger = await open(false);
      expect(await ledger.readCopy()).toBeNull();
      expect(await ledger.readCopyRisks()).toBeNull();
      expect(await ledger.acceptCopy({ now: NOON })).toEqual({ accepted: false, toReconcile: 0 });
      expect(await (await open(true)).readCopy()).toEqual({ madeAt: NOON, madeBy: "host:1", acceptedAt: null });
    });

    it("say what was open when they were made", async () => {
      const ledger = await open(true);
      await buyPages(ledger, { runId: "run_1", paths: ["/1"] });
      const fence = await leaseFlusher(ledger);
      await settle(ledger, await freeze(ledger, fence, { idempotencyId: "sent" }));
      await buyPages(ledger, { runId: "run_2", paths: ["/2"] });
      await freeze(ledger, fence, { idempotencyId: "open" });
      await buyPages(ledger, { runId: "run_3", paths: ["/3"] });
      await startPages(ledger, { runId: "run_4", paths: ["/4"] });
      expect(await ledger.readCopyRisks()).toMatchObject({
        copy: { madeAt: NOON },
        lastPurchaseAt: expect.any(Number),
        lastReportAt: expect.any(Number),
        purchases: { reserved: 0, started: 1, inDoubt: 0 },
        unreportedUses: 1,
        openReports: 1,
        unfinishedRuns: 1,
      });
    });

    it("send no open report any more once they are accepted, until a person says what became of it", async () => {
      const ledger = await open(true);
      await buyPages(ledger, { runId: "run_1", paths: ["/1", "/2"] });
      const fence = await leaseFlusher(ledger);
      const { reportId } = await freeze(ledger, fence, { maxEntries: 1, idempotencyId: "unsent" });
      const sent = await freeze(ledger, fence, { maxEntries: 1, idempotencyId: "unanswered" });
      await ledger.recordAttempt({ fence, reportId: sent.reportId, now: NOON - 5 });
      const who = { by: "anna", reason: "the disk of the old one broke" };
      expect(await ledger.acceptCopy({ who, now: LATER })).toEqual({ accepted: true, toReconcile: 2 });
      expect(await ledger.acceptCopy({ who, now: LATER + 1 })).toEqual({ accepted: false, toReconcile: 0 });
      const acts = await ledger.readActs({ before: null, runId: null, limit: 9 });
      expect(acts).toMatchObject([{ kind: "copy_accepted", ...who, at: LATER, purchaseId: null, runId: null }]);
      expect(await ledger.readCopy()).toMatchObject({ acceptedAt: LATER });
      expect(await ledger.nextReport({ fence, now: LATER + 1, windowMs: 1 })).toBeNull();
      const { openItems } = await ledger.readStatus();
      expect(openItems.map(({ kind, batchId }) => ({ kind, batchId }))).toEqual([
        { kind: "needs_reconcile", batchId: reportId },
        { kind: "needs_reconcile", batchId: sent.reportId },
      ]);
      await ledger.resolveReport({ reportId, taken: false, now: LATER + 2 });
      expect(await ledger.nextReport({ fence, now: LATER + 3, windowMs: 1 })).toMatchObject({
        idempotencyId: "unsent",
      });
      expect(await ledger.audit({ budgets: [], now: LATER })).toMatchObject({ violations: [] });
      // The later ledger may have exported other documents under the next numbers.
      const last = await ledger.readLastSettled();
      await buyPages(ledger, { runId: "run_2", paths: ["/3"] });
      expect(await ledger.readLastSettled()).toBeGreaterThan(last + 1_000_000);
    });

    it.each([
      ["two documents", ["/1", "/2"]],
      ["no document", []],
    ])("with %s never give a number twice, however often a copy is accepted", async (_, paths) => {
      const taken = new Set<number>();
      for (const at of [LATER, LATER + 1, LATER + 3_600_000, LATER - 86_400_000]) {
        const ledger = await open(true);
        if (paths.length > 0) {
          await buyPages(ledger, { runId: "before", paths });
        }
        expect(await ledger.readLastSettled()).toBe(paths.length);
        await ledger.acceptCopy({ now: at });
        await buyPages(ledger, { runId: "after", paths: ["/3", "/4"] });
        const last = await ledger.readLastSettled();
        expect(last).toBeGreaterThan(1_000_000_000);
        expect(last).toBeLessThan(Number.MAX_SAFE_INTEGER / 100);
        for (const number of [last - 1, last]) {
          expect(taken.has(number)).toBe(false);
          taken.add(number);
        }
      }
    });
  });
}
