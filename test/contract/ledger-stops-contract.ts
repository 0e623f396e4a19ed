import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Settlement } from "../../src/ledger/purchase-ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { createContent, NOON } from "../doubles/ledger-shop.ts";
import {
  decideBatch,
  HOST,
  leaseMany,
  openAcquire,
  RUN,
  readTotal,
  reserve,
  resumeRun,
  start,
  toEntry,
  toSettlement,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const usd = (micros: number) => ({ micros: toMicros(micros), currency: "USD" });
const UNREADABLE: Partial<Settlement> = { flaws: [{ kind: "charge_unreadable", detail: "the charge is a text" }] };
const OTHER_LICENSE: Partial<Settlement> = { flaws: [{ kind: "license_mismatch", detail: "it came under another" }] };

/** Buys /a of a run that also has /b and /c reserved; each page costs 10,000 micros. */
async function buyFirst(ledger: Ledger, settlement: Partial<Settlement>) {
  await reserve(ledger, ["/a", "/b", "/c"]);
  const opened = await openAcquire(ledger);
  const [first = 0, second = 0] = opened.purchases.map(({ purchaseId }) => purchaseId);
  await start(ledger, opened.leaseId, first);
  const settled = await ledger.settlePurchase(toSettlement(first, settlement));
  return { leaseId: opened.leaseId, first, second, settled };
}

async function audit(ledger: Ledger): Promise<readonly string[]> {
  return (await ledger.audit({ budgets: [], now: NOON })).violations.map(({ detail }) => detail);
}

async function stopOf(ledger: Ledger, runId: string): Promise<string | null> {
  return (await ledger.readRun(runId)).sites[0]?.stop ?? null;
}

export function describeStops(open: OpenLedger): void {
  describe("an answer that is not what was ordered", () => {
    it.each([
      ["charged above its quote", { charge: usd(10_001) }, "overcharged", 10_001],
      ["charged in another currency", { charge: { micros: toMicros(5), currency: "EUR" } }, "overcharged", 0],
      ["with a charge that cannot be read", UNREADABLE, "charge_unreadable", 10_000],
      ["under another licence", OTHER_LICENSE, "license_mismatch", 10_000],
    ] as const)(
      "settles the page, lists it and stops the site in one transaction: %s",
      async (_name, settlement, stop, settledMicros) => {
        const ledger = await open();
        const { leaseId, first, second, settled } = await buyFirst(ledger, settlement);
        expect(settled).toMatchObject({ outcome: "settled", stopped: { stop } });
        expect(await readTotal(ledger)).toMatchObject({ spentMicros: settledMicros, reservedMicros: 0 });
        expect(await start(ledger, leaseId, second)).toBe(false);
        expect((await ledger.readRun(RUN)).sites[0]).toMatchObject({ stop, stopDetail: settled.stopped?.detail });
        expect((await ledger.readStatus()).openItems).toMatchObject([
          { kind: stop, url: `https://${HOST}/a`, detail: expect.stringContaining(`purchase ${first}`) },
        ]);
        expect(await ledger.settlePurchase(toSettlement(first, settlement))).toEqual({
          outcome: "repeated",
          stopped: null,
        });
        expect((await ledger.readStatus()).openItems).toHaveLength(1);
        expect(await audit(ledger)).toEqual([]);
      },
    );

    it("lists everything that is wrong with one answer", async () => {
      const ledger = await open();
      await buyFirst(ledger, { ...OTHER_LICENSE, charge: usd(20_000) });
      const { openItems } = await ledger.readStatus();
      expect(openItems.map(({ kind }) => kind)).toEqual(["overcharged", "license_mismatch"]);
      expect(await audit(ledger)).toEqual([]);
    });

    it("waits for purchases that were sent before it", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a", "/b"]);
      const { leaseId, purchases } = await openAcquire(ledger);
      const [first = 0, second = 0] = purchases.map(({ purchaseId }) => purchaseId);
      await start(ledger, leaseId, first);
      await start(ledger, leaseId, second);
      await ledger.settlePurchase(toSettlement(first, UNREADABLE));
      expect((await ledger.openAcquireBatch(leaseId))?.purchases).toMatchObject([{ purchaseId: second }]);
      expect(await ledger.settlePurchase(toSettlement(second))).toMatchObject({ outcome: "settled" });
    });
  });

  describe("a lasting stop", () => {
    it("applies to a later run from the start: nothing is walked", async () => {
      const ledger = await open();
      await buyFirst(ledger, UNREADABLE);
      await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
      for (const kind of ["walk", "planning"] as const) {
        await ledger.createRun(toSpec({ runId: kind, kind }));
        expect(await leaseMany(ledger, { runId: kind })).toEqual([]);
        expect(await stopOf(ledger, kind)).toBe("charge_unreadable");
      }
      await ledger.discardPlan("planning");
      expect(await audit(ledger)).toEqual([]);
    });

    it("releases what another unfinished run of the site has reserved, and denies its decisions", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec({ runId: "other" }));
      await walkPage(ledger, { entries: [toEntry("/x")], runId: "other" });
      await decideBatch(ledger, { runId: "other" });
      await buyFirst(ledger, { charge: usd(10_001) });
      expect(await stopOf(ledger, "other")).toBe("overcharged");
      expect((await ledger.readPage(`https://${HOST}/x`))?.purchases).toMatchObject([{ reason: "site_stopped" }]);
      expect(await ledger.readRun("other")).toMatchObject({ failures: {}, pages: { approved: 0, failed: 0 } });
      expect(await audit(ledger)).toEqual([]);
    });

    it("ends when its last item is closed: for the next run, and for a resumed run", async () => {
      const ledger = await open();
      await buyFirst(ledger, { ...OTHER_LICENSE, charge: usd(20_000) });
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: null, now: NOON });
      const { openItems } = await ledger.readStatus();
      const [first, second] = openItems.map(({ id }) => id);
      await ledger.closeItem({ itemId: first ?? 0, now: NOON });
      await ledger.createRun(toSpec({ runId: "early" }));
      expect(await stopOf(ledger, "early")).toBe("license_mismatch");
      await ledger.closeItem({ itemId: second ?? 0, now: NOON });
      await ledger.createRun(toSpec({ runId: "later" }));
      expect(await stopOf(ledger, "later")).toBe(null);
      expect(await leaseMany(ledger, { runId: "later" })).toMatchObject([{ stage: "walk" }]);
      await resumeRun(ledger, { now: NOON + 3_600_000 });
      expect(await stopOf(ledger, RUN)).toBe(null);
      expect(await audit(ledger)).toEqual([]);
    });

    it("does not end when a run is resumed, whatever the run's state was", async () => {
      const ledger = await open();
      await buyFirst(ledger, OTHER_LICENSE);
      await resumeRun(ledger);
      expect(await stopOf(ledger, RUN)).toBe("license_mismatch");
      expect(await leaseMany(ledger)).toEqual([]);
      expect(await audit(ledger)).toEqual([]);
    });
  });

  describe("content that comes late for a purchase resolved as charged", () => {
    it.each([
      ["less", usd(9_000), ["charge_differs"], null],
      ["as much", usd(10_000), [], null],
      ["nothing that is said", null, [], null],
      ["more than quoted", usd(12_000), ["charge_differs"], "overcharged"],
    ] as const)("lists a charge that differs from what was booked: %s", async (_name, charge, kinds, stop) => {
      const ledger = await open();
      await reserve(ledger, ["/a"]);
      const { leaseId, purchases } = await openAcquire(ledger);
      const purchaseId = purchases[0]?.purchaseId ?? 0;
      await start(ledger, leaseId, purchaseId);
      await ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "401", now: NOON });
      await ledger.resolvePurchase({ purchaseId, charged: true, now: NOON });
      const settled = await ledger.settlePurchase(toSettlement(purchaseId, { charge, content: createContent("late") }));
      expect(settled).toMatchObject({ outcome: "settled" });
      const { openItems } = await ledger.readStatus();
      expect(openItems.map(({ kind }) => kind)).toEqual(kinds);
      expect(await stopOf(ledger, RUN)).toBe(stop);
      // What a person said stays booked: a correction is a new fact, and the item asks for it.
      expect(await readTotal(ledger)).toMatchObject({ spentMicros: 10_000, inDoubtMicros: 0, reservedMicros: 0 });
      expect(await audit(ledger)).toEqual([]);
    });
  });
}
