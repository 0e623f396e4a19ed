/** What goes over to a run that continues an earlier one, and what does not. */
import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { BeginRun } from "../../src/ledger/run-ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { LEASE_MS, NOON } from "../doubles/ledger-shop.ts";
import { begin, openAcquire, RUN, reserve, start, toSettlement, toSite } from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const PLAIN = { which: { kind: "interrupted" } } as const;
const FRESH = { which: { kind: "fresh" } } as const;
const LATER = NOON + LEASE_MS;
const TWO_PAGES = { maxPages: 2, maxSpend: null };
const SPEND_OF_TWO = { maxPages: null, maxSpend: { micros: toMicros(20_000), currency: "USD" } };
const OTHER_SITE = [toSite({ host: "shop.example" })];

/** A run buys one page, has another one reserved, and dies. */
async function buyOneAndDie(ledger: Ledger, request: Partial<BeginRun>): Promise<void> {
  await begin(ledger, { ...FRESH, runId: RUN, ...request });
  await reserve(ledger, ["/bought", "/reserved"], {}, { runId: RUN });
  const { leaseId, purchases } = await openAcquire(ledger);
  const [{ purchaseId = 0 } = {}] = purchases;
  await start(ledger, leaseId, purchaseId);
  await ledger.settlePurchase(toSettlement(purchaseId));
}

/** What another run may buy of three more pages. */
async function approveThree(ledger: Ledger, runId: string, budgets?: Parameters<typeof reserve>[2]): Promise<number> {
  const decided = await reserve(ledger, ["/1", "/2", "/3"], { now: LATER, ...budgets }, { runId });
  return decided.approved;
}

export function describeSuccessors(open: OpenLedger): void {
  describe("the limits of a run that died", () => {
    it.each([
      { name: "maxPages", limits: TWO_PAGES },
      { name: "maxSpend", limits: SPEND_OF_TWO },
    ])("go over to the next plain run of its sites, minus what it used: $name", async ({ limits }) => {
      const ledger = await open();
      await buyOneAndDie(ledger, { callerLimits: limits });
      const begun = await begin(ledger, { ...PLAIN, process: "b", now: LATER, runId: "run_2" });
      expect(begun).toMatchObject({ resumed: false, spec: { runId: "run_2", ...limits } });
      expect(await approveThree(ledger, "run_2")).toBe(1);
    });

    it("go over again when that run dies too", async () => {
      const ledger = await open();
      await buyOneAndDie(ledger, { callerLimits: SPEND_OF_TWO });
      await begin(ledger, { ...PLAIN, process: "b", now: LATER, runId: "run_2" });
      const third = await begin(ledger, { ...PLAIN, process: "c", now: 2 * LATER, runId: "run_3" });
      expect(third).toMatchObject({ spec: { runId: "run_3", ...SPEND_OF_TWO } });
      expect(await approveThree(ledger, "run_3", { now: 2 * LATER })).toBe(1);
    });

    it("count under a limit that the caller gives anew, and not in a run that is fresh", async () => {
      for (const [which, approved] of [
        [PLAIN, 1],
        [FRESH, 2],
      ] as const) {
        const ledger = await open();
        await buyOneAndDie(ledger, {});
        await begin(ledger, { ...which, process: "b", now: LATER, runId: "run_2", callerLimits: TWO_PAGES });
        expect(await approveThree(ledger, "run_2")).toBe(approved);
      }
    });

    it("hold for a budget of scope run and for the site's maxPages too", async () => {
      const budget = {
        scope: { kind: "run" },
        period: "total",
        currency: "USD",
        limitMicros: toMicros(20_000),
      } as const;
      const ledger = await open();
      await buyOneAndDie(ledger, {});
      await begin(ledger, { ...PLAIN, process: "b", now: LATER, runId: "run_2" });
      expect(await approveThree(ledger, "run_2", { budgets: [budget] })).toBe(1);
      const [read] = await ledger.readBalances({ budgets: [budget], hosts: [], runId: "run_2", now: LATER });
      expect(read?.balance).toMatchObject({ spentMicros: 10_000, reservedMicros: 10_000 });
      const limited = await open();
      const sites = [toSite({ maxPages: 2 })];
      await buyOneAndDie(limited, { sites, configured: sites });
      await begin(limited, { ...PLAIN, process: "b", now: LATER, runId: "run_2", sites, configured: sites });
      expect(await approveThree(limited, "run_2")).toBe(1);
    });

    it("stay with it when a run of other sites frees it, and it can go on under them", async () => {
      const ledger = await open();
      await buyOneAndDie(ledger, { callerLimits: SPEND_OF_TWO });
      const other = await begin(ledger, { ...PLAIN, process: "b", now: LATER, runId: "run_2", sites: OTHER_SITE });
      expect(other).toMatchObject({
        spec: { maxSpend: null },
        takenOver: [{ runId: RUN, released: 1, isResumable: true }],
      });
      const query = { now: LATER, aliveMs: LEASE_MS, gone: [] };
      expect(await ledger.listUnfinished(query)).toMatchObject([
        { runId: RUN, state: "interrupted", endedBy: "death", isTakenOver: false, limits: SPEND_OF_TWO },
        { runId: "run_2" },
      ]);
      const named = { which: { kind: "named", runId: RUN }, process: "c", now: LATER } as const;
      expect(await begin(ledger, named)).toMatchObject({ resumed: true, spec: { runId: RUN, ...SPEND_OF_TWO } });
      expect(await ledger.audit({ budgets: [], now: LATER })).toMatchObject({ violations: [] });
    });

    it("keep a run of more sites from doing its work, unless it has the same ones", async () => {
      for (const [callerLimits, isResumable] of [
        [{ maxPages: null, maxSpend: null }, true],
        [SPEND_OF_TWO, false],
      ] as const) {
        const ledger = await open();
        await buyOneAndDie(ledger, { callerLimits: SPEND_OF_TWO });
        const sites = [toSite(), ...OTHER_SITE];
        const wider = { ...PLAIN, process: "b", now: LATER, runId: "run_2", sites, callerLimits };
        expect(await begin(ledger, wider)).toMatchObject({ takenOver: [{ runId: RUN, isResumable }] });
      }
    });

    it("are worked time too", async () => {
      const ledger = await open();
      const limits = { maxPages: null, maxSpend: null, maxDurationMs: 10 * LEASE_MS };
      await begin(ledger, { ...FRESH, runId: RUN, limits });
      await ledger.renewRun({ runId: RUN, process: "here:1:a", aliveUntil: NOON + 5 * LEASE_MS });
      const now = NOON + 8 * LEASE_MS;
      const begun = await begin(ledger, { ...PLAIN, process: "b", now, runId: "run_2", limits });
      // It was last heard of after four leases.
      expect(begun).toMatchObject({ spec: { deadlineAt: now + 6 * LEASE_MS } });
    });
  });

  describe("the order of a run", () => {
    it("goes on with it, also in the run that takes it over, unless the caller says another one", async () => {
      const ledger = await open();
      await begin(ledger, { ...FRESH, runId: RUN, callerOrder: "cheapest" });
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: null, now: NOON, process: "here:1:a" });
      const resumed = await begin(ledger, { ...PLAIN, process: "b" });
      expect(resumed).toMatchObject({ resumed: true, spec: { order: "cheapest" } });
      const successor = await begin(ledger, { ...PLAIN, process: "c", now: LATER, runId: "run_2" });
      expect(successor).toMatchObject({ resumed: false, spec: { order: "cheapest" } });
      const named = { which: { kind: "named", runId: "run_2" }, process: "d", gone: ["c"], now: LATER } as const;
      expect(await begin(ledger, { ...named, callerOrder: "newest" })).toMatchObject({ spec: { order: "newest" } });
    });
  });

  describe("who ended a run", () => {
    it("decides whether a schedule goes on with it", async () => {
      for (const [endedBy, resumed] of [
        ["service", true],
        ["person", false],
      ] as const) {
        const ledger = await open();
        await begin(ledger, { ...FRESH, runId: RUN });
        const end = {
          runId: RUN,
          state: "interrupted",
          reason: null,
          now: NOON,
          process: "here:1:a",
          endedBy,
        } as const;
        await ledger.endRun(end);
        const slot = { ...PLAIN, process: "b", runId: "run_2", trigger: "schedule" } as const;
        expect(await begin(ledger, slot)).toMatchObject({ resumed, takenOver: [] });
      }
    });

    it("stays while another run only probes what was started", async () => {
      const ledger = await open();
      await begin(ledger, { ...FRESH, runId: RUN });
      await reserve(ledger, ["/started"], {}, { runId: RUN });
      const { leaseId, purchases } = await openAcquire(ledger);
      await start(ledger, leaseId, purchases[0]?.purchaseId ?? 0);
      const end = { runId: RUN, state: "interrupted", reason: "Ctrl-C", now: NOON } as const;
      await ledger.endRun({ ...end, endedBy: "person", process: "here:1:a" });
      await begin(ledger, { ...PLAIN, process: "b", runId: "run_2", sites: OTHER_SITE });
      const query = { now: NOON, aliveMs: LEASE_MS, gone: [] };
      const probed = { runId: RUN, state: "running", endedBy: "person", isAlive: true };
      expect((await ledger.listUnfinished(query))[0]).toMatchObject(probed);
      await ledger.endRun({ ...end, process: "b" });
      expect((await ledger.listUnfinished(query))[0]).toMatchObject({ state: "interrupted", endedBy: "person" });
    });
  });
}
