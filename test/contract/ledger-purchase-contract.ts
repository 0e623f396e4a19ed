import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Settlement } from "../../src/ledger/purchase-ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { createContent, NOON } from "../doubles/ledger-shop.ts";
import {
  HOST,
  leaseMany,
  openAcquire,
  RUN,
  readTotal,
  reserve,
  resumeRun,
  start,
  toApproval,
  toRate,
  toSettlement,
  toSpec,
} from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const NOTHING = { spentMicros: 0, inDoubtMicros: 0, reservedMicros: 0 };

/** One purchase at 10,000 micros with a fee of 300 and a billed report, up to `started`. */
async function startOne(ledger: Ledger, useReserveMicros = 10_000): Promise<{ leaseId: string; purchaseId: number }> {
  await reserve(ledger, ["/a"], {
    decisions: ([a = 0]) => [toApproval(a, toRate(10_000), { feeMicros: 300, useReserveMicros })],
  });
  const { leaseId, purchases } = await openAcquire(ledger);
  const purchaseId = purchases[0]?.purchaseId ?? 0;
  expect(await start(ledger, leaseId, purchaseId)).toBe(true);
  return { leaseId, purchaseId };
}

function hold(ledger: Ledger, purchaseId: number): ReturnType<Ledger["holdInDoubt"]> {
  return ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "401 while probing", now: NOON });
}

function release(ledger: Ledger, purchaseId: number): Promise<boolean> {
  return ledger.releasePurchase({ purchaseId, reason: "content_refused", detail: "404", now: NOON });
}

function settle(ledger: Ledger, purchaseId: number, settlement: Partial<Settlement> = {}) {
  return ledger.settlePurchase(toSettlement(purchaseId, { feeMicros: toMicros(300), ...settlement }));
}

export function describePurchases(open: OpenLedger): void {
  describe("purchases", () => {
    it("starts a purchase once, and shows its token only while it is started", async () => {
      const ledger = await open();
      await ledger.checkRoom();
      const { leaseId, purchaseId } = await startOne(ledger);
      expect(await start(ledger, leaseId, purchaseId)).toBe(false);
      expect((await ledger.openAcquireBatch(leaseId))?.purchases).toMatchObject([
        { state: "started", token: { token: `token-${purchaseId}`, expiresAt: NOON + 300_000 } },
      ]);
      await settle(ledger, purchaseId);
      expect((await ledger.openAcquireBatch(leaseId))?.purchases).toEqual([]);
    });

    it("makes one purchase of one batch that was leased twice", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a"]);
      const first = await openAcquire(ledger);
      const second = await openAcquire(ledger, { now: NOON + 60_000 });
      const purchaseId = first.purchases[0]?.purchaseId ?? 0;
      const started = await Promise.all([
        start(ledger, first.leaseId, purchaseId),
        start(ledger, second.leaseId, purchaseId),
        start(ledger, second.leaseId, purchaseId),
      ]);
      expect(started).toEqual([false, true, false]);
    });

    it("settles at the charge, keeps the report's money reserved, and says so when repeated", async () => {
      const ledger = await open();
      const { leaseId, purchaseId } = await startOne(ledger);
      expect(await readTotal(ledger)).toEqual({ ...NOTHING, reservedMicros: 20_300 });
      expect(await settle(ledger, purchaseId, { charge: { micros: toMicros(9_000), currency: "USD" } })).toEqual({
        outcome: "settled",
        stopped: null,
      });
      expect(await settle(ledger, purchaseId)).toEqual({ outcome: "repeated", stopped: null });
      expect(await readTotal(ledger)).toEqual({ spentMicros: 9_300, inDoubtMicros: 0, reservedMicros: 10_000 });
      expect(await ledger.countPendingUses()).toMatchObject({ unbatched: 1 });
      expect(await ledger.finishAcquireBatch(leaseId)).toBe(true);
      expect(await ledger.finishAcquireBatch(leaseId)).toBe(false);
    });

    it("books the quote where the gateway did not say what it charged", async () => {
      const ledger = await open();
      const { purchaseId } = await startOne(ledger, 0);
      await settle(ledger, purchaseId);
      expect(await readTotal(ledger)).toEqual({ ...NOTHING, spentMicros: 10_300 });
    });

    it.each([
      { case: "one micro more than quoted", charge: { micros: 10_001, currency: "USD" }, settled: 10_301 },
      { case: "another currency", charge: { micros: 5, currency: "EUR" }, settled: 0 },
    ])("settles an overcharge at the true amount, lists it, and stops the site: $case", async ({ charge, settled }) => {
      const ledger = await open();
      await reserve(ledger, ["/a", "/b"]);
      const { leaseId, purchases } = await openAcquire(ledger);
      const [a = 0, b = 0] = purchases.map(({ purchaseId }) => purchaseId);
      await start(ledger, leaseId, a);
      const outcome = await settle(ledger, a, {
        charge: { micros: toMicros(charge.micros), currency: charge.currency },
      });
      expect(outcome).toMatchObject({ outcome: "settled", stopped: { stop: "overcharged" } });
      expect(await readTotal(ledger)).toEqual({ ...NOTHING, spentMicros: settled });
      expect(await readTotal(ledger, "EUR")).toEqual({
        ...NOTHING,
        spentMicros: charge.currency === "EUR" ? 305 : 0,
      });
      expect(await start(ledger, leaseId, b)).toBe(false);
      expect((await ledger.readRun(RUN)).sites[0]).toMatchObject({ stop: "overcharged" });
      expect((await ledger.readStatus()).openItems).toMatchObject([{ kind: "overcharged" }]);
    });

    it("does not treat a batch as done while its purchases are open", async () => {
      const ledger = await open();
      const { leaseId, purchaseId } = await startOne(ledger);
      expect(await ledger.finishAcquireBatch(leaseId)).toBe(false);
      await release(ledger, purchaseId);
      expect(await ledger.finishAcquireBatch(leaseId)).toBe(true);
      expect(await ledger.readProgress({ runId: RUN, now: NOON })).toMatchObject({ openBatches: 0 });
    });

    it("releases and puts in doubt once each, and never a purchase that is over", async () => {
      const ledger = await open();
      const { purchaseId } = await startOne(ledger);
      expect(await hold(ledger, purchaseId)).toBe(true);
      expect(await hold(ledger, purchaseId)).toBe(false);
      expect(await release(ledger, purchaseId)).toBe(false);
      expect(await readTotal(ledger)).toEqual({ ...NOTHING, inDoubtMicros: 20_300 });
    });

    it.each([true, false])(
      "holds a purchase at price 0 in doubt, which fills no budget, until a person says charged: %s",
      async (charged) => {
        const ledger = await open();
        await reserve(ledger, ["/a"], { decisions: ([a = 0]) => [toApproval(a, toRate(0))] });
        const { leaseId, purchases } = await openAcquire(ledger);
        const purchaseId = purchases[0]?.purchaseId ?? 0;
        await start(ledger, leaseId, purchaseId);
        expect(await hold(ledger, purchaseId)).toBe(true);
        expect(await readTotal(ledger)).toEqual(NOTHING);
        const resolved = await ledger.resolvePurchase({ purchaseId, charged, now: NOON });
        const spent = charged ? { spentMicros: 0, currency: "USD" } : { spentMicros: null, currency: null };
        expect(resolved).toMatchObject({ state: charged ? "settled" : "released", ...spent });
        expect(await readTotal(ledger)).toEqual(NOTHING);
        expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ violations: [] });
      },
    );

    it("reserves a page anew whose token was not used: at its terms, in its batch, and all that is counted stays", async () => {
      const ledger = await open();
      const { leaseId, purchaseId } = await startOne(ledger);
      const [before, beforeRun] = [await ledger.openAcquireBatch(leaseId), await ledger.readRun(RUN)];
      const unused = { leaseId, purchaseId, detail: "a long rest", now: NOON + 60_000 };
      const anew = await ledger.reserveAnew(unused);
      expect(anew).toEqual({ ...before?.purchases[0], purchaseId: purchaseId + 1, state: "reserved", token: null });
      expect(await ledger.reserveAnew(unused)).toBeNull();
      expect((await ledger.openAcquireBatch(leaseId))?.purchases).toEqual([anew]);
      expect(await readTotal(ledger)).toEqual({ ...NOTHING, reservedMicros: 20_300 });
      expect(await ledger.readRun(RUN)).toEqual(beforeRun);
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ violations: [] });

      expect(await start(ledger, leaseId, purchaseId)).toBe(false);
      expect(await start(ledger, leaseId, purchaseId + 1)).toBe(true);
      await settle(ledger, purchaseId + 1);
      expect(await ledger.finishAcquireBatch(leaseId)).toBe(true);
      expect(await readTotal(ledger)).toEqual({ spentMicros: 10_300, inDoubtMicros: 0, reservedMicros: 10_000 });
      expect((await ledger.readRun(RUN)).pages).toMatchObject({ approved: 1, bought: 1, failed: 0, open: 0 });
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ violations: [] });
    });

    it("takes back what was reserved anew like any other reservation, and decides its page again", async () => {
      const ledger = await open();
      const { leaseId, purchaseId } = await startOne(ledger);
      await ledger.reserveAnew({ leaseId, purchaseId, detail: "a long rest", now: NOON });
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: null, now: NOON });
      expect(await readTotal(ledger)).toEqual(NOTHING);
      expect((await ledger.readRun(RUN)).pages).toMatchObject({ approved: 0, failed: 0, undecided: 1 });
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ violations: [] });
    });

    it("reserves nothing anew that was never started, under an older lease, or of a site that was stopped", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a"], { decisions: ([a = 0]) => [toApproval(a, toRate(10_000))] });
      const { leaseId, purchases } = await openAcquire(ledger);
      const purchaseId = purchases[0]?.purchaseId ?? 0;
      const unused = { leaseId, purchaseId, detail: "a long rest", now: NOON };
      expect(await ledger.reserveAnew(unused)).toBeNull();
      await start(ledger, leaseId, purchaseId);
      expect(await ledger.reserveAnew({ ...unused, leaseId: "1.1" })).toBeNull();
      await ledger.stopSite({ runId: RUN, host: HOST, stop: "not_enabled", detail: "no", now: NOON });
      expect(await ledger.reserveAnew(unused)).toBeNull();
      expect((await ledger.openAcquireBatch(leaseId))?.purchases).toMatchObject([{ purchaseId, state: "started" }]);
    });

    it("finishes what was reserved when a limit stopped the site, also anew", async () => {
      const ledger = await open();
      const { leaseId, purchaseId } = await startOne(ledger);
      await ledger.stopSite({ runId: RUN, host: HOST, stop: "max_pages", detail: "1 page", now: NOON });
      expect(await ledger.reserveAnew({ leaseId, purchaseId, detail: "a long rest", now: NOON })).not.toBeNull();
    });

    it("releases nothing under a lease that is no longer the newest", async () => {
      const ledger = await open();
      const { leaseId, purchaseId } = await startOne(ledger);
      const refusal = { leaseId, purchaseId, reason: "content_refused", detail: "403", now: NOON } as const;
      await resumeRun(ledger);
      expect(await ledger.releasePurchase(refusal)).toBe(false);
      const taken = await openAcquire(ledger);
      expect(await ledger.releasePurchase({ ...refusal, leaseId: taken.leaseId })).toBe(true);
    });

    it.each(["token_refused", "token_failed"] as const)(
      "never releases as %s what another worker has started",
      async (reason) => {
        const ledger = await open();
        const { purchaseId } = await startOne(ledger);
        const late = { purchaseId, reason, detail: "no token", now: NOON };
        expect(await ledger.releasePurchase(late)).toBe(false);
        expect(await readTotal(ledger)).toMatchObject({ reservedMicros: 20_300 });
      },
    );

    it("releases all of the money of a purchase", async () => {
      const ledger = await open();
      const { purchaseId } = await startOne(ledger);
      expect(await release(ledger, purchaseId)).toBe(true);
      expect(await release(ledger, purchaseId)).toBe(false);
      expect(await readTotal(ledger)).toEqual(NOTHING);
    });

    it("settles content that comes late, for a purchase in doubt or released", async () => {
      for (const giveUp of [hold, release]) {
        const ledger = await open();
        const { purchaseId } = await startOne(ledger);
        await giveUp(ledger, purchaseId);
        expect(await settle(ledger, purchaseId)).toEqual({ outcome: "settled", stopped: null });
        expect(await settle(ledger, purchaseId)).toEqual({ outcome: "repeated", stopped: null });
        expect(await readTotal(ledger)).toEqual({ spentMicros: 10_300, inDoubtMicros: 0, reservedMicros: 10_000 });
        const { pages, failures } = await ledger.readRun(RUN);
        expect(pages).toMatchObject({ bought: 1, inDoubt: 0, failed: 0 });
        expect(failures).toEqual({});
      }
    });

    it.each([
      { charged: true, resolved: { state: "settled", spentMicros: 10_300, currency: "USD" } },
      { charged: false, resolved: { state: "released", spentMicros: null, currency: null } },
    ])("resolves by a person's decision, once: charged $charged", async ({ charged, resolved }) => {
      const ledger = await open();
      const { purchaseId } = await startOne(ledger);
      const resolution = { purchaseId, charged, now: NOON };
      await expect(ledger.resolvePurchase(resolution)).rejects.toMatchObject({ code: "PURCHASE_NOT_IN_DOUBT" });
      await expect(ledger.resolvePurchase({ ...resolution, purchaseId: 999 })).rejects.toMatchObject({
        code: "PURCHASE_NOT_FOUND",
      });
      await hold(ledger, purchaseId);
      expect(await ledger.resolvePurchase(resolution)).toMatchObject({ purchaseId, ...resolved });
      await expect(ledger.resolvePurchase(resolution)).rejects.toMatchObject({ code: "PURCHASE_NOT_IN_DOUBT" });
      expect(await readTotal(ledger)).toEqual({ ...NOTHING, spentMicros: resolved.spentMicros ?? 0 });
    });

    it("keeps content that comes after a purchase was resolved by a person, and charges it once", async () => {
      for (const charged of [true, false]) {
        const ledger = await open();
        const { purchaseId } = await startOne(ledger);
        await hold(ledger, purchaseId);
        await ledger.resolvePurchase({ purchaseId, charged, now: NOON });
        expect(await settle(ledger, purchaseId)).toMatchObject({ outcome: "settled" });
        expect(await readTotal(ledger)).toEqual({ spentMicros: 10_300, inDoubtMicros: 0, reservedMicros: 10_000 });
        expect(await ledger.readDocuments({ host: null, sinceAt: null, afterPageId: 0, limit: 2 })).toHaveLength(1);
      }
    });

    it("refuses content for a purchase that it does not know", async () => {
      const ledger = await open();
      await expect(settle(ledger, 5)).rejects.toMatchObject({ code: "PURCHASE_NOT_FOUND" });
    });

    it("allows only an indexing fetch a fresh token", async () => {
      const ledger = await open();
      const paid = await startOne(ledger);
      const renewal = { token: { token: "fresh", expiresAt: NOON + 600_000 } };
      expect(await ledger.renewIndexingToken({ ...renewal, ...paid })).toBe(false);
      await reserve(ledger, ["/b"], { runId: "run_2", intent: "indexing", rate: null });
      const { leaseId, purchases } = await openAcquire(ledger, { runId: "run_2" });
      const purchaseId = purchases[0]?.purchaseId ?? 0;
      expect(await ledger.renewIndexingToken({ ...renewal, leaseId, purchaseId })).toBe(false);
      await start(ledger, leaseId, purchaseId);
      expect(await ledger.renewIndexingToken({ ...renewal, leaseId, purchaseId })).toBe(true);
      expect((await ledger.openAcquireBatch(leaseId))?.purchases).toMatchObject([renewal]);
      expect(await ledger.settlePurchase(toSettlement(purchaseId))).toEqual({ outcome: "settled", stopped: null });
    });

    it("derives Markdown after the settlement, once, and lists what is still due", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a", "/b"], { format: "both" });
      const { leaseId, purchases } = await openAcquire(ledger);
      for (const { purchaseId, url } of purchases) {
        await start(ledger, leaseId, purchaseId);
        await ledger.settlePurchase(toSettlement(purchaseId, { content: createContent(url, "both") }));
      }
      const [a = 0, b = 0] = purchases.map(({ purchaseId }) => purchaseId);
      expect((await ledger.listUnderived(10)).map(({ purchaseId }) => purchaseId)).toEqual([a, b]);
      expect(await ledger.listUnderived(1)).toMatchObject([{ purchaseId: a, html: expect.stringContaining("<h1>") }]);
      expect(await ledger.recordMarkdown({ purchaseId: a, markdown: "# A", failure: null })).toBe(true);
      expect(await ledger.recordMarkdown({ purchaseId: a, markdown: "# B", failure: null })).toBe(false);
      expect(await ledger.recordMarkdown({ purchaseId: b, markdown: null, failure: "timed_out" })).toBe(true);
      expect(await ledger.listUnderived(10)).toEqual([]);
      const documents = await ledger.readDocuments({ host: null, sinceAt: null, afterPageId: 0, limit: 10 });
      expect(documents).toMatchObject([
        { markdown: "# A", conversionFailure: null },
        { markdown: null, conversionFailure: "timed_out" },
      ]);
    });

    it("keeps the newer version when an older answer comes late", async () => {
      const ledger = await open();
      const { purchaseId: older } = await startOne(ledger, 0);
      await hold(ledger, older);
      await reserve(ledger, ["/a"], { runId: "run_2", inDoubt: "rebuy" });
      const { leaseId, purchases } = await openAcquire(ledger, { runId: "run_2" });
      const newer = purchases[0]?.purchaseId ?? 0;
      await start(ledger, leaseId, newer);
      await settle(ledger, newer);
      await settle(ledger, older);
      expect(await ledger.readDocuments({ host: null, sinceAt: null, afterPageId: 0, limit: 10 })).toMatchObject([
        { purchaseId: newer },
      ]);
    });

    describe("where the gateway forbids a part of the site", () => {
      const [premium, gold, news] = ["premium", "gold", "news"].map((part) => `https://${HOST}/${part}`);
      const query = { runId: RUN, host: HOST, part: premium ?? "" };

      it("finds the reserved purchases of the run: the newest of two other parts and of the part itself", async () => {
        const ledger = await open();
        const verdict = { kind: "denied", ruleIndex: 0, reason: "denied_by_rule", detail: null } as const;
        await reserve(ledger, ["/premium/1", "/premium/2", "/gold/1", "/news/1", "/news/2", "/sport/1", "/archive/1"], {
          acquireBatchSize: 2,
          decisions: (pageIds) =>
            pageIds.map((id, at) =>
              at < 5 ? toApproval(id, toRate(1_000 * (at + 1))) : { pageId: id, listing: null, verdict },
            ),
        });
        const { otherParts, samePart } = await ledger.findReserved(query);
        expect(otherParts).toMatchObject([
          {
            url: `${news}/2`,
            wireUrl: `${news}/2`,
            quote: { price: { micros: 5_000 } },
            state: "reserved",
            format: "markdown",
          },
          { url: `${gold}/1`, quote: { price: { micros: 3_000, currency: "USD" }, license: toRate(1).license } },
        ]);
        expect(samePart).toMatchObject({ url: `${premium}/2`, quote: { price: { micros: 2_000 } } });
      });

      it("finds nothing that was sent, is over, or belongs to another run or another site", async () => {
        const ledger = await open();
        await reserve(ledger, ["/premium/1", "/news/1"]);
        await ledger.createRun(toSpec({ runId: "run_2" }));
        const nothing = { otherParts: [], samePart: null };
        expect(await ledger.findReserved({ ...query, runId: "run_2" })).toEqual(nothing);
        expect(await ledger.findReserved({ ...query, host: "other.example" })).toEqual(nothing);
        const { leaseId, purchases } = await openAcquire(ledger);
        const [first, second] = purchases.map(({ purchaseId }) => purchaseId);
        await start(ledger, leaseId, first ?? 0);
        await ledger.releasePurchase({
          leaseId,
          purchaseId: second ?? 0,
          reason: "token_refused",
          detail: "",
          now: NOON,
        });
        expect(await ledger.findReserved(query)).toEqual(nothing);
      });
    });

    it("leaves nothing open and no violation", async () => {
      const ledger = await open();
      const { leaseId, purchaseId } = await startOne(ledger);
      await settle(ledger, purchaseId);
      await ledger.finishAcquireBatch(leaseId);
      await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
      await ledger.createRun(toSpec({ runId: "run_2" }));
      await leaseMany(ledger, { runId: "run_2" });
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true, violations: [] });
    });
  });
}
