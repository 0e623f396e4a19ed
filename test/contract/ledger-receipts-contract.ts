import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { FrozenReport } from "../../src/ledger/usage-ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { buyPages, NOON, ON_DEMAND } from "../doubles/ledger-shop.ts";
import { readTotal } from "../doubles/ledger-steps.ts";
import {
  createReceipt,
  createUse,
  freeze,
  leaseFlusher,
  readBody,
  readSpend,
  recordUses,
  settle,
} from "../doubles/usage-outbox-driver.ts";

async function openItems(ledger: Ledger): Promise<string[]> {
  return (await ledger.readStatus()).openItems.map(({ kind }) => kind);
}

/** One page, bought at 10,000 and used `times` more. */
async function freezeUses(ledger: Ledger, times: number): Promise<FrozenReport> {
  await buyPages(ledger, { priceMicros: 10_000, reportsFetch: false });
  await recordUses(
    ledger,
    Array.from({ length: times }, () => createUse("/a")),
  );
  return freeze(ledger, await leaseFlusher(ledger));
}

/** What every ledger promises of the gateway's answers. */
export function describeReceipts(open: () => Promise<Ledger>): void {
  describe("settleReport", () => {
    it("settles what was billed from the receipts, and leaves nothing reserved", async () => {
      const ledger = await open();
      const batch = await freezeUses(ledger, 3);
      expect(await settle(ledger, batch)).toBe(true);
      expect(await readSpend(ledger)).toEqual({ spentMicros: 40_000, inDoubtMicros: 0, reservedMicros: 0 });
      expect(await ledger.countPendingUses()).toEqual({ unbatched: 0, inBatches: 0, reported: 3, nextAttemptAt: null });
      expect(await openItems(ledger)).toEqual([]);
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({
        ok: true,
        totals: { reportedMicros: { USD: 30_000 } },
      });
    });

    it("books what each receipt says as soon as one of a report is not as expected", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/a", "/b"], priceMicros: 10_000, reportsFetch: false });
      await recordUses(ledger, [createUse("/a"), createUse("/b")]);
      const batch = await freeze(ledger, await leaseFlusher(ledger));
      const dear = { perUnitPriceMicros: toMicros(12_000), totalUsePriceMicros: toMicros(12_000) };
      const receipts = batch.entries.map((entry, index) => ({
        entryId: entry.entryId,
        receipt: createReceipt(entry, index === 0 ? {} : dear),
      }));
      await ledger.settleReport({ reportId: batch.reportId, receipts, surplus: [], unreadable: 0, now: NOON });
      expect((await readSpend(ledger)).spentMicros).toBe(42_000);
      expect(await openItems(ledger)).toEqual(["overcharged"]);
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({
        ok: true,
        totals: { reportedMicros: { USD: 22_000 } },
      });
    });

    it("changes nothing the second time", async () => {
      const ledger = await open();
      const batch = await freezeUses(ledger, 2);
      await settle(ledger, batch);
      const before = await ledger.readStatus();
      expect(await settle(ledger, batch, { totalUsePriceMicros: toMicros(1) })).toBe(false);
      expect(await ledger.readStatus()).toEqual(before);
    });

    it("books a receipt for a fetch that is not billed without any money", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 10_000 });
      await settle(ledger, await freeze(ledger, await leaseFlusher(ledger)));
      expect(await readSpend(ledger)).toEqual({ spentMicros: 10_000, inDoubtMicros: 0, reservedMicros: 0 });
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({
        ok: true,
        totals: { reportedMicros: { USD: 10_000 } },
      });
    });

    it("charges the billed uses of an entry their share where the fetch in it is not billed", async () => {
      const ledger = await open();
      await buyPages(ledger, { priceMicros: 10_000 });
      await recordUses(ledger, [createUse("/a", { times: 2 })]);
      await settle(ledger, await freeze(ledger, await leaseFlusher(ledger)));
      expect(await readSpend(ledger)).toEqual({ spentMicros: 30_000, inDoubtMicros: 0, reservedMicros: 0 });
    });

    it("books a total that is not divisible to the micro, and lists it", async () => {
      const ledger = await open();
      const batch = await freezeUses(ledger, 3);
      await settle(ledger, batch, { totalUsePriceMicros: toMicros(29_999) });
      expect((await readSpend(ledger)).spentMicros).toBe(39_999);
      expect(await openItems(ledger)).toEqual(["wrong_total"]);
    });

    it("books a changed price as it is, and lists one that rose", async () => {
      const ledger = await open();
      const batch = await freezeUses(ledger, 2);
      await settle(ledger, batch, { perUnitPriceMicros: toMicros(12_000), totalUsePriceMicros: toMicros(24_000) });
      expect(await readSpend(ledger)).toEqual({ spentMicros: 34_000, inDoubtMicros: 0, reservedMicros: 0 });
      expect(await openItems(ledger)).toEqual(["overcharged"]);
    });

    it("lists nothing for a price that fell", async () => {
      const ledger = await open();
      const batch = await freezeUses(ledger, 2);
      await settle(ledger, batch, { perUnitPriceMicros: toMicros(1), totalUsePriceMicros: toMicros(2) });
      expect((await readSpend(ledger)).spentMicros).toBe(10_002);
      expect(await openItems(ledger)).toEqual([]);
    });

    it("settles in the receipt's currency, and lists it", async () => {
      const ledger = await open();
      const batch = await freezeUses(ledger, 1);
      await settle(ledger, batch, { currency: "EUR" });
      expect(await readSpend(ledger)).toEqual({ spentMicros: 10_000, inDoubtMicros: 0, reservedMicros: 0 });
      expect((await readTotal(ledger, "EUR")).spentMicros).toBe(10_000);
      expect(await openItems(ledger)).toEqual(["wrong_currency"]);
    });

    it("counts the expected price if no receipt came, and lists it", async () => {
      const ledger = await open();
      const batch = await freezeUses(ledger, 2);
      await ledger.settleReport({ reportId: batch.reportId, receipts: [], surplus: [], unreadable: 0, now: NOON });
      expect(await readSpend(ledger)).toEqual({ spentMicros: 30_000, inDoubtMicros: 0, reservedMicros: 0 });
      expect(await openItems(ledger)).toEqual(["missing_receipt"]);
    });

    it("counts the expected price if a receipt is not plausible, so that no answer can stop the ledger", async () => {
      const ledger = await open();
      const batch = await freezeUses(ledger, 1);
      const huge = toMicros(Number.MAX_SAFE_INTEGER);
      await settle(ledger, batch, { perUnitPriceMicros: huge, totalUsePriceMicros: huge });
      expect((await readSpend(ledger)).spentMicros).toBe(20_000);
      expect(await openItems(ledger)).toEqual(["wrong_total"]);
    });

    it("keeps a receipt that matches no entry, and lists it beside those that cannot be read", async () => {
      const ledger = await open();
      const batch = await freezeUses(ledger, 1);
      const [entry] = batch.entries;
      const receipt = entry === undefined ? null : createReceipt(entry);
      const surplus = receipt === null ? [] : [{ ...receipt, url: "https://news.example/elsewhere" }];
      await ledger.settleReport({
        reportId: batch.reportId,
        receipts: [{ entryId: entry?.entryId ?? 0, receipt }],
        surplus,
        unreadable: 2,
        now: NOON,
      });
      const status = await ledger.readStatus();
      expect(status.openItems).toMatchObject([
        { kind: "surplus_receipt", count: 3, url: "https://news.example/elsewhere", batchId: batch.reportId },
      ]);
      expect((await readSpend(ledger)).spentMicros).toBe(20_000);
    });

    it("lists what the gateway's receipts leave wrong as an open item, not as a broken promise", async () => {
      const ledger = await open();
      const batch = await freezeUses(ledger, 2);
      await ledger.settleReport({ reportId: batch.reportId, receipts: [], surplus: [], unreadable: 0, now: NOON });
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({
        ok: true,
        violations: [],
        openItems: [{ kind: "missing_receipt", batchId: batch.reportId, url: "https://news.example/a", count: 1 }],
        totals: { openItems: 1 },
      });
    });

    it("opens one item for all that is wrong in the same way, with its number and an example", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/1", "/2", "/3"] });
      const batch = await freeze(ledger, await leaseFlusher(ledger));
      await settle(ledger, batch, { totalUsePriceMicros: toMicros(1), currency: "EUR" });
      expect((await ledger.readStatus()).openItems).toMatchObject([
        { kind: "wrong_total", count: 3, url: "https://news.example/1" },
        { kind: "wrong_currency", count: 3, url: "https://news.example/1" },
      ]);
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true, totals: { openItems: 2 } });
    });

    it.each([
      ["5,000 units a use, as expected", 5_000_000_000, "IDR", 5_000_000_000, []],
      ["a thousand times what was expected", 2_000_000_000, "IDR", 2_000_000_000_000, ["overcharged"]],
      ["more than a thousand times what was expected", 2_000_000_000, "IDR", 2_000_000_000_001, ["wrong_total"]],
      ["1,000 units for a cheap use", 10_000, "USD", 1_000_000_000, ["overcharged"]],
      ["more than that for a cheap use", 10_000, "USD", 1_000_000_001, ["wrong_total"]],
    ] as const)(
      "compares a receipt with what was expected: %s",
      async (_name, unitMicros, currency, charged, kinds) => {
        const ledger = await open();
        await buyPages(ledger, { intent: "indexing" });
        const terms = { license: ON_DEMAND, unitMicros: toMicros(unitMicros), currency };
        await recordUses(ledger, [createUse("/a", { terms })]);
        const batch = await freeze(ledger, await leaseFlusher(ledger));
        const price = toMicros(charged);
        await settle(ledger, batch, { perUnitPriceMicros: price, totalUsePriceMicros: price });
        expect(await openItems(ledger)).toEqual(kinds);
        const { spentMicros } = await readTotal(ledger, currency);
        expect(spentMicros).toBe(kinds[0] === "wrong_total" ? unitMicros : charged);
        expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true });
      },
    );
  });

  describe("rejectReport", () => {
    const rejection = { status: 400, detail: "unknown licence", licenseIdField: "licenseCuid", now: NOON };

    it("splits a batch into two halves with their own ids and bytes, until the bad entry is alone", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/1", "/2", "/3"] });
      const fence = await leaseFlusher(ledger);
      const { reportId } = await freeze(ledger, fence);
      expect(await ledger.rejectReport({ ...rejection, fence, reportId, idempotencyIds: ["half-1", "half-2"] })).toBe(
        "bisected",
      );

      const first = await ledger.nextReport({ fence, now: NOON, windowMs: 1 });
      expect(first).toMatchObject({ idempotencyId: "half-1", attempts: 0, firstAttemptAt: null });
      expect(first === null ? [] : readBody(first).usage.map(({ url }) => url)).toEqual([
        "https://news.example/1",
        "https://news.example/2",
      ]);
      await settle(ledger, first as FrozenReport);
      const second = (await ledger.nextReport({ fence, now: NOON, windowMs: 1 })) as FrozenReport;
      expect(readBody(second)).toMatchObject({ idempotencyId: "half-2", usage: [{ url: "https://news.example/3" }] });
      expect(
        await ledger.rejectReport({ ...rejection, fence, reportId: second.reportId, idempotencyIds: ["x", "y"] }),
      ).toBe("isolated");

      expect(await ledger.nextReport({ fence, now: NOON, windowMs: 1 })).toBeNull();
      expect(await openItems(ledger)).toEqual(["rejected_entry"]);
      expect((await ledger.readStatus()).usage).toEqual({
        recorded: 3,
        reported: 2,
        pending: 0,
        rejected: 1,
        needsReconcile: 0,
      });
      expect((await ledger.readRun("run_1")).usage).toEqual({
        recorded: 3,
        reported: 2,
        pending: 0,
        rejected: 1,
      });
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true });
    });

    it("keeps what is reserved for a rejected use: it happened, and may still be charged", async () => {
      const ledger = await open();
      const { reportId } = await freezeUses(ledger, 2);
      const fence = await leaseFlusher(ledger, NOON + 1_000_000);
      await ledger.rejectReport({ ...rejection, fence, reportId, idempotencyIds: ["x", "y"] });
      expect((await readSpend(ledger)).reservedMicros).toBe(20_000);
      expect((await ledger.readStatus()).openItems).toMatchObject([
        {
          kind: "rejected_entry",
          url: "https://news.example/a",
          detail: expect.stringContaining("400: unknown licence"),
        },
      ]);
    });

    it("gives the same answer when it is called again, and splits once", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/1", "/2"] });
      const fence = await leaseFlusher(ledger);
      const { reportId } = await freeze(ledger, fence);
      const call = (ids: readonly [string, string]) =>
        ledger.rejectReport({ ...rejection, fence, reportId, idempotencyIds: ids });
      expect([await call(["a", "b"]), await call(["a", "b"]), await call(["c", "d"])]).toEqual([
        "bisected",
        "bisected",
        "bisected",
      ]);
      expect(await ledger.countPendingUses()).toMatchObject({ inBatches: 2 });
    });

    it("is stale for a batch that was taken", async () => {
      const ledger = await open();
      const batch = await freezeUses(ledger, 1);
      await settle(ledger, batch);
      const fence = await leaseFlusher(ledger, NOON + 1_000_000);
      expect(
        await ledger.rejectReport({ ...rejection, fence, reportId: batch.reportId, idempotencyIds: ["x", "y"] }),
      ).toBe("stale");
    });

    it("books an answer that comes for an entry already recorded as rejected", async () => {
      const ledger = await open();
      const batch = await freezeUses(ledger, 1);
      const fence = await leaseFlusher(ledger, NOON + 1_000_000);
      await ledger.rejectReport({ ...rejection, fence, reportId: batch.reportId, idempotencyIds: ["x", "y"] });
      expect(await settle(ledger, batch)).toBe(true);
      expect(await openItems(ledger)).toEqual([]);
      expect(await readSpend(ledger)).toEqual({ spentMicros: 20_000, inDoubtMicros: 0, reservedMicros: 0 });
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true });
    });

    it("lists an answer that comes for a batch already split, and books nothing twice", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/1", "/2"], useReserveMicros: 10_000 });
      const fence = await leaseFlusher(ledger);
      const batch = await freeze(ledger, fence);
      await ledger.rejectReport({ ...rejection, fence, reportId: batch.reportId, idempotencyIds: ["x", "y"] });
      expect(await settle(ledger, batch)).toBe(false);
      expect(await settle(ledger, batch)).toBe(false);
      expect(await openItems(ledger)).toEqual(["needs_reconcile"]);
      expect((await readSpend(ledger)).reservedMicros).toBe(20_000);
    });
  });
}
