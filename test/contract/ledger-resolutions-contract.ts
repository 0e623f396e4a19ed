import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { FrozenReport } from "../../src/ledger/usage-ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { buyPages, NOON, reservePages, type Shopping, startPages } from "../doubles/ledger-shop.ts";
import { toSettlement } from "../doubles/ledger-steps.ts";
import {
  createUse,
  freeze,
  leaseFlusher,
  readSpend,
  recordUses,
  settle,
  WINDOW_MS,
} from "../doubles/usage-outbox-driver.ts";

const LATER = NOON + 2 * WINDOW_MS;

/** A report with two billed uses of 10,000 whose only attempt was never answered, and whose window is over. */
async function giveUp(ledger: Ledger): Promise<{ readonly fence: number; readonly batch: FrozenReport }> {
  await buyPages(ledger, { priceMicros: 10_000, reportsFetch: false });
  await recordUses(ledger, [createUse("/a", { times: 2 })]);
  const fence = await leaseFlusher(ledger);
  const batch = await freeze(ledger, fence);
  await ledger.recordAttempt({ fence, reportId: batch.reportId, now: NOON });
  expect(await ledger.nextReport({ fence, now: LATER, windowMs: WINDOW_MS })).toBeNull();
  return { fence, batch };
}

async function refuseAlone(ledger: Ledger): Promise<FrozenReport> {
  await buyPages(ledger, { priceMicros: 10_000, reportsFetch: false });
  await recordUses(ledger, [createUse("/a", { times: 2 })]);
  const fence = await leaseFlusher(ledger);
  const batch = await freeze(ledger, fence);
  const rejection = { status: 400, detail: "no", licenseIdField: "licenseCuid", now: NOON };
  const { reportId } = batch;
  expect(await ledger.rejectReport({ ...rejection, fence, reportId, idempotencyIds: ["x", "y"] })).toBe("isolated");
  await ledger.releaseFlusher(fence);
  return batch;
}

async function openItems(ledger: Ledger) {
  return (await ledger.readStatus()).openItems;
}

async function expectAudited(ledger: Ledger): Promise<void> {
  expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
}

/** What every ledger promises about a person's decisions on reports and open items. */
export function describeResolutions(open: () => Promise<Ledger>): void {
  describe("resolveReport", () => {
    it("settles a report that was taken at what was expected, and closes its item", async () => {
      const ledger = await open();
      const { batch } = await giveUp(ledger);
      const { reportId, idempotencyId } = batch;
      expect(await ledger.resolveReport({ reportId, taken: true, now: LATER })).toEqual({
        batchId: reportId,
        idempotencyId,
        state: "settled",
        uses: 2,
      });
      expect(await readSpend(ledger)).toEqual({ spentMicros: 30_000, inDoubtMicros: 0, reservedMicros: 0 });
      const { usage, openItems: items } = await ledger.readStatus();
      expect(usage).toMatchObject({ reported: 1, pending: 0, needsReconcile: 0 });
      expect(items).toEqual([]);
      expect(await settle(ledger, batch, { totalUsePriceMicros: toMicros(1) })).toBe(false);
      await expectAudited(ledger);
    });

    it("sends a report that was not taken again: the same bytes, as if for the first time", async () => {
      const ledger = await open();
      const { fence, batch } = await giveUp(ledger);
      const { reportId } = batch;
      expect(await ledger.resolveReport({ reportId, taken: false, now: LATER })).toMatchObject({ state: "frozen" });
      expect((await readSpend(ledger)).reservedMicros).toBe(20_000);
      expect(await openItems(ledger)).toEqual([]);
      const again = await ledger.nextReport({ fence, now: LATER + WINDOW_MS, windowMs: 1 });
      expect(again).toMatchObject({ reportId, body: batch.body, unknownAttempts: 0 });
      await expectAudited(ledger);
      await ledger.recordAttempt({ fence, reportId, now: LATER });
      await settle(ledger, batch);
      expect((await readSpend(ledger)).spentMicros).toBe(30_000);
      await expectAudited(ledger);
    });

    it("can be repeated for a report that needed to be reconciled twice", async () => {
      const ledger = await open();
      const { fence, batch } = await giveUp(ledger);
      const { reportId } = batch;
      await ledger.resolveReport({ reportId, taken: false, now: LATER });
      await ledger.recordAttempt({ fence, reportId, now: LATER });
      await ledger.nextReport({ fence, now: 2 * LATER, windowMs: WINDOW_MS });
      expect(await ledger.resolveReport({ reportId, taken: true, now: 2 * LATER })).toMatchObject({ state: "settled" });
      await expectAudited(ledger);
    });

    it.each([
      ["was resolved already", (reportId: number) => reportId, "REPORT_NOT_TO_RECONCILE"],
      ["is not there", () => 99, "REPORT_NOT_FOUND"],
    ])("throws for a report that %s, and changes nothing", async (_name, idOf, code) => {
      const ledger = await open();
      const { batch } = await giveUp(ledger);
      await ledger.resolveReport({ reportId: batch.reportId, taken: true, now: LATER });
      const before = await ledger.readStatus();
      const again = ledger.resolveReport({ reportId: idOf(batch.reportId), taken: false, now: LATER });
      await expect(again).rejects.toMatchObject({ code });
      expect(await ledger.readStatus()).toEqual(before);
    });
  });

  describe("resolvePurchase", () => {
    async function doubt(ledger: Ledger, changes: Partial<Shopping> = {}): Promise<number> {
      const [purchase] = await startPages(ledger, { priceMicros: 10_000, ...changes });
      const purchaseId = purchase?.purchaseId ?? 0;
      await ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "401", now: NOON });
      await ledger.endRun({ runId: changes.runId ?? "run_1", state: "completed", reason: null, now: NOON });
      return purchaseId;
    }

    it("keeps a page off where a person says so: no run buys it again", async () => {
      const ledger = await open();
      const purchaseId = await doubt(ledger);
      expect(await ledger.resolvePurchase({ purchaseId, charged: true, keepOff: true, now: LATER })).toMatchObject({
        state: "settled",
        keptOff: true,
      });
      expect(await startPages(ledger, { runId: "run_2", at: LATER })).toEqual([]);
      expect((await ledger.readRun("run_2")).denials).toEqual({ kept_off: 1 });
    });

    it("needs a person's decision where nothing was to be charged: the page could be dearer when it is bought again", async () => {
      const ledger = await open();
      const purchaseId = await doubt(ledger, { priceMicros: 0 });
      expect(await ledger.readDoubts({ runId: "run_1", afterPurchaseId: 0, limit: 10 })).toEqual([purchaseId]);
      expect(await startPages(ledger, { runId: "run_2", at: LATER })).toEqual([]);
      expect((await ledger.readRun("run_2")).denials).toEqual({ in_doubt: 1 });
      await ledger.endRun({ runId: "run_2", state: "completed", reason: null, now: LATER });
      expect(await ledger.resolvePurchase({ purchaseId, charged: false, now: LATER })).toMatchObject({
        state: "released",
      });
      expect(await startPages(ledger, { runId: "run_3", at: LATER })).toHaveLength(1);
      await expectAudited(ledger);
    });

    it("stores the content if the answer comes late", async () => {
      const ledger = await open();
      const purchaseId = await doubt(ledger, { priceMicros: 0 });
      const charge = { micros: toMicros(0), currency: "USD" };
      expect(await ledger.settlePurchase(toSettlement(purchaseId, { charge, now: LATER }))).toMatchObject({});
      expect((await ledger.readPage("https://news.example/a"))?.purchases).toMatchObject([{ state: "settled" }]);
      await expectAudited(ledger);
    });

    it("needs a person's decision where only the fee could be charged", async () => {
      const ledger = await open();
      await doubt(ledger, { priceMicros: 0, feeMicros: 7 });
      expect(await ledger.readDoubts({ runId: "run_1", afterPurchaseId: 0, limit: 10 })).toHaveLength(1);
    });

    it("lets a page be bought again without a further option", async () => {
      const ledger = await open();
      const purchaseId = await doubt(ledger);
      await ledger.resolvePurchase({ purchaseId, charged: true, now: LATER });
      expect(await startPages(ledger, { runId: "run_2", at: LATER })).toHaveLength(1);
    });
  });

  describe("readDoubts", () => {
    it("lists the purchases in doubt of one run, page by page", async () => {
      const ledger = await open();
      const started = await startPages(ledger, { runId: "run_1", paths: ["/a", "/b"], priceMicros: 10_000 });
      for (const { purchaseId } of started) {
        await ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "401", now: NOON });
      }
      const [first, second] = started.map(({ purchaseId }) => purchaseId);
      const read = (runId: string, afterPurchaseId: number, limit: number) =>
        ledger.readDoubts({ runId, afterPurchaseId, limit });
      expect(await read("run_1", 0, 10)).toEqual([first, second]);
      expect(await read("run_1", 0, 1)).toEqual([first]);
      expect(await read("run_1", first ?? 0, 10)).toEqual([second]);
      expect(await read("run_1", second ?? 0, 10)).toEqual([]);
      expect(await read("run_3", 0, 10)).toEqual([]);
    });
  });

  describe("readInvoiced", () => {
    it("gives what an invoice may name, the oldest first, by number and by any spelling of a page", async () => {
      const ledger = await open();
      const [settled] = await buyPages(ledger, { priceMicros: 10_000, feeMicros: 7 });
      const [doubtful] = await startPages(ledger, { runId: "run_2", priceMicros: 20_000 });
      const doubt = { reason: "token_spent", detail: "401", now: NOON } as const;
      await ledger.holdInDoubt({ purchaseId: doubtful?.purchaseId ?? 0, ...doubt });
      const [started] = await startPages(ledger, { runId: "run_3", paths: ["/b"] });
      const page = { url: "https://news.example/a", wireUrl: "https://news.example/a" };
      const ofPage = [
        { purchaseId: settled, state: "settled", ...page, amount: { micros: 10_000, currency: "USD" }, feeMicros: 7 },
        {
          purchaseId: doubtful?.purchaseId,
          state: "in_doubt",
          ...page,
          amount: { micros: 20_000, currency: "USD" },
          feeMicros: 0,
        },
      ];
      const read = (query: { purchaseIds?: readonly number[]; urls?: readonly string[] }) =>
        ledger.readInvoiced({ purchaseIds: [], urls: [], ...query });
      expect(await read({ urls: ["HTTPS://News.Example/a#part"] })).toEqual(ofPage);
      expect(await read({ purchaseIds: [settled ?? 0], urls: ["https://news.example/a"] })).toEqual(ofPage);
      expect(await read({ purchaseIds: [started?.purchaseId ?? 0] })).toMatchObject([{ state: "started" }]);
      expect(await read({ purchaseIds: [99], urls: ["https://news.example/never", "no address"] })).toEqual([]);
    });

    it("leaves out what cannot be charged: indexing, what is free, what was only reserved or refused", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", paths: ["/indexed"], intent: "indexing", priceMicros: 0 });
      await buyPages(ledger, { runId: "run_2", paths: ["/free"], priceMicros: 0 });
      await reservePages(ledger, { runId: "run_3", paths: ["/reserved"] });
      const [refused] = await startPages(ledger, { runId: "run_4", paths: ["/refused"] });
      await ledger.releasePurchase({
        purchaseId: refused?.purchaseId ?? 0,
        reason: "content_refused",
        detail: "404",
        now: NOON,
      });
      const urls = ["indexed", "free", "reserved", "refused"].map((path) => `https://news.example/${path}`);
      expect(await ledger.readInvoiced({ purchaseIds: [1, 2, 3, 4], urls })).toEqual([]);
    });
  });

  describe("closeItem", () => {
    it("closes an item for good, with a resolution", async () => {
      const ledger = await open();
      await refuseAlone(ledger);
      const [item] = await openItems(ledger);
      const itemId = item?.id ?? 0;
      expect(await ledger.closeItem({ itemId, now: LATER })).toEqual(item);
      expect(await openItems(ledger)).toEqual([]);
      await expectAudited(ledger);
      await expect(ledger.closeItem({ itemId, now: LATER })).rejects.toMatchObject({ code: "OPEN_ITEM_NOT_FOUND" });
    });

    it("does not close the item of a report that may have been taken, and says which option does", async () => {
      const ledger = await open();
      const { batch } = await giveUp(ledger);
      const [item] = await openItems(ledger);
      await expect(ledger.closeItem({ itemId: item?.id ?? 0, now: LATER })).rejects.toMatchObject({
        code: "OPEN_ITEM_NEEDS_WORD",
        hint: expect.stringContaining(`licet resolve ${batch.reportId} --taken`),
      });
      expect(await openItems(ledger)).toHaveLength(1);
    });

    it("says what has the number if the kind is wrong", async () => {
      const ledger = await open();
      const { batch } = await giveUp(ledger);
      const [item] = await openItems(ledger);
      expect([batch.reportId, item?.id]).toEqual([1, 1]);
      await expect(ledger.resolvePurchase({ purchaseId: 1, charged: true, now: LATER })).rejects.toMatchObject({
        code: "PURCHASE_NOT_IN_DOUBT",
        hint: expect.stringMatching(/1 is the number of a report to reconcile .* and of an open item/),
      });
    });
  });

  describe("retryRejected", () => {
    it("lets rejected uses wait again, once, and closes their items", async () => {
      const ledger = await open();
      const first = await refuseAlone(ledger);
      expect(await ledger.retryRejected({ now: LATER })).toEqual({ uses: 1 });
      expect(await ledger.retryRejected({ now: LATER })).toEqual({ uses: 0 });
      expect(await openItems(ledger)).toEqual([]);
      expect((await ledger.readStatus()).usage).toMatchObject({ pending: 1, rejected: 0 });
      expect((await readSpend(ledger)).reservedMicros).toBe(20_000);
      await expectAudited(ledger);
      const again = await freeze(ledger, await leaseFlusher(ledger), { idempotencyId: "again" });
      expect(again.entries).toMatchObject([{ url: first.entries[0]?.url, timesUsed: 2 }]);
      await settle(ledger, again);
      expect(await readSpend(ledger)).toEqual({ spentMicros: 30_000, inDoubtMicros: 0, reservedMicros: 0 });
      await expectAudited(ledger);
    });

    it("leaves a late answer for the refused report to a person, and books nothing", async () => {
      const ledger = await open();
      const batch = await refuseAlone(ledger);
      await ledger.retryRejected({ now: LATER });
      expect(await settle(ledger, batch)).toBe(false);
      expect(await openItems(ledger)).toMatchObject([{ kind: "needs_reconcile", batchId: batch.reportId }]);
      expect((await readSpend(ledger)).reservedMicros).toBe(20_000);
      await expectAudited(ledger);
    });
  });

  describe("rejectReport", () => {
    it.each([
      [1, "isolated"],
      [2, "open"],
    ])("of a report with %i attempts whose outcome is unknown is %s", async (attempts, end) => {
      const ledger = await open();
      await buyPages(ledger);
      const fence = await leaseFlusher(ledger);
      const { reportId } = await freeze(ledger, fence);
      for (let attempt = 0; attempt < attempts; attempt++) {
        await ledger.recordAttempt({ fence, reportId, now: NOON });
      }
      const rejection = { fence, reportId, status: 410, detail: "id used", licenseIdField: "licenseCuid", now: NOON };
      expect(await ledger.rejectReport({ ...rejection, idempotencyIds: ["x", "y"] })).toBe(end);
      const { usage } = await ledger.readStatus();
      expect(usage).toMatchObject(end === "open" ? { pending: 1, rejected: 0 } : { pending: 0, rejected: 1 });
      await expectAudited(ledger);
    });
  });
}
