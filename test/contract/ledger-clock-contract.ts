import { describe, expect, it } from "vitest";
import { LEASE_MS, NOON } from "../doubles/ledger-shop.ts";
import { begin, openAcquire, reserve, start, toSettlement } from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const DAY_MS = 86_400_000;

export function describeClock(open: OpenLedger): void {
  describe("the latest instant", () => {
    it("is of the newest run and of what was bought since it began, whatever older rows say", async () => {
      const ledger = await open();
      expect(await ledger.readLatestInstant()).toBeNull();
      await begin(ledger, { which: { kind: "fresh" }, runId: "run_a", now: NOON });
      expect(await ledger.readLatestInstant()).toBe(NOON);
      await reserve(ledger, ["/a"], { now: NOON + 5 }, { runId: "run_a" });
      expect(await ledger.readLatestInstant()).toBe(NOON + 5);
      await ledger.endRun({ runId: "run_a", state: "cancelled", reason: null, now: NOON + 9 });
      expect(await ledger.readLatestInstant()).toBe(NOON + 9);
      await begin(ledger, { which: { kind: "fresh" }, runId: "run_b", now: NOON - LEASE_MS });
      expect(await ledger.readLatestInstant()).toBe(NOON - LEASE_MS);
    });
  });

  describe("a word about the clock", () => {
    it("makes the rows of a clock that was ahead old, whatever becomes of their runs", async () => {
      const ledger = await open();
      expect(await ledger.readClockEvidence()).toEqual({ latestAt: null, word: null });
      await begin(ledger, { which: { kind: "fresh" }, runId: "run_a", now: NOON });
      await reserve(ledger, ["/a"], { now: NOON + 5 }, { runId: "run_a" });
      const now = NOON - LEASE_MS - 86_400_000;
      await ledger.recordClockWord({ now, gatewayAt: now + 7 });
      expect(await ledger.readClockEvidence()).toEqual({ latestAt: now, word: { at: now, gatewayAt: now + 7 } });
      expect(await ledger.readLatestInstant()).toBe(now);
      await ledger.endRun({ runId: "run_a", state: "cancelled", reason: null, now: now + 9 });
      expect(await ledger.readLatestInstant()).toBe(now);
      await begin(ledger, { which: { kind: "fresh" }, runId: "run_b", now: now + 10 });
      expect(await ledger.readLatestInstant()).toBe(now + 10);
    });

    it("proves the time, as an answer does that told the gateway's, and other rows do not where there is one", async () => {
      const ledger = await open();
      const buy = async (runId: string, now: number, askedAt: number | null) => {
        await reserve(ledger, [`/${runId}`], { now }, { runId });
        const { leaseId, purchases } = await openAcquire(ledger, { runId, now });
        const purchaseId = purchases[0]?.purchaseId ?? 0;
        await start(ledger, leaseId, purchaseId, now);
        await ledger.settlePurchase(toSettlement(purchaseId, { now, askedAt }));
      };
      await buy("run_a", NOON, NOON - 7);
      await buy("run_b", NOON + 40 * DAY_MS, null);
      expect(await ledger.readLatestInstant()).toBe(NOON + 40 * DAY_MS);
      expect(await ledger.readClockEvidence()).toEqual({ latestAt: NOON - 7, word: null });
      await ledger.recordClockWord({ now: NOON + DAY_MS, gatewayAt: null });
      expect(await ledger.readClockEvidence()).toMatchObject({ latestAt: NOON + DAY_MS });
    });

    it("of a clock that is not behind leaves earlier rows as they are", async () => {
      const ledger = await open();
      await begin(ledger, { which: { kind: "fresh" }, runId: "run_a", now: NOON });
      await ledger.recordClockWord({ now: NOON - 1, gatewayAt: null });
      expect(await ledger.readLatestInstant()).toBe(NOON);
    });
  });
}
