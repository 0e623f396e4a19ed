import { describe, expect, it } from "vitest";
import { NOON } from "../doubles/ledger-shop.ts";
import {
  HOST,
  leaseMany,
  leaseOne,
  openAcquire,
  RUN,
  readTotal,
  reserve,
  resumeRun,
  start,
  toApproval,
  toDecideRequest,
  toEntry,
  toRate,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const WHO = { by: "anna", reason: "the contract is renewed in May" };
const PAUSE = { host: HOST, who: WHO, now: NOON };
const SAID = `it was paused by anna: ${WHO.reason}. Nothing is bought from this site, by any run, until the pause ends: licet pause ${HOST} --end`;

/** What every ledger promises of a site that a person has paused. */
export function describePauses(open: OpenLedger): void {
  describe("a paused site", () => {
    it("is stopped in the run under way: what was reserved is free again, and what was sent is waited for", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a", "/b", "/c"]);
      const { leaseId, purchases } = await openAcquire(ledger);
      const [first = 0, second = 0] = purchases.map(({ purchaseId }) => purchaseId);
      await start(ledger, leaseId, first);
      expect(await ledger.pauseSite(PAUSE)).toBe(true);
      expect(await start(ledger, leaseId, second)).toBe(false);
      expect((await ledger.readRun(RUN)).sites[0]).toMatchObject({ stop: "paused", stopDetail: SAID });
      expect(await readTotal(ledger)).toMatchObject({ reservedMicros: 10_000, spentMicros: 0 });
      expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
    });

    it("is not bought from by a new run, nor by one that goes on, until the pause ends", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a"]);
      await ledger.pauseSite(PAUSE);
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: null, now: NOON });
      await resumeRun(ledger);
      expect((await ledger.readRun(RUN)).sites[0]?.stop).toBe("paused");
      await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
      await ledger.createRun(toSpec({ runId: "run_2" }));
      expect((await ledger.readRun("run_2")).sites[0]?.stop).toBe("paused");
      expect(await leaseMany(ledger, { runId: "run_2" })).toEqual([]);
      expect(await ledger.unpauseSite(PAUSE)).toBe(true);
      await ledger.createRun(toSpec({ runId: "run_3" }));
      expect((await ledger.readRun("run_3")).sites[0]?.stop).toBeNull();
    });

    it("refuses a decision that was under way", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await walkPage(ledger, { entries: [toEntry("/a")] });
      const { leaseId } = await leaseOne(ledger, "quote");
      const pageIds = (await ledger.openQuoteBatch(leaseId))?.pages.map(({ pageId }) => pageId) ?? [];
      await ledger.pauseSite(PAUSE);
      const decisions = pageIds.map((pageId) => toApproval(pageId, toRate(10_000)));
      expect(await ledger.decide(toDecideRequest(leaseId, decisions))).toMatchObject({ stale: true, approved: 0 });
      expect(await readTotal(ledger)).toMatchObject({ reservedMicros: 0, spentMicros: 0 });
    });

    it("is paused once, by whoever said it first, and each word is an act", async () => {
      const ledger = await open();
      expect(await ledger.unpauseSite(PAUSE)).toBe(false);
      expect(await ledger.pauseSite(PAUSE)).toBe(true);
      expect(await ledger.pauseSite({ ...PAUSE, who: { by: "ben", reason: null } })).toBe(false);
      expect(await ledger.readPauses()).toEqual([{ host: HOST, at: NOON, ...WHO }]);
      expect(await ledger.unpauseSite({ ...PAUSE, who: { by: "ben", reason: null } })).toBe(true);
      expect(await ledger.unpauseSite(PAUSE)).toBe(false);
      expect(await ledger.readPauses()).toEqual([]);
      expect(await ledger.readActs({ before: null, runId: null, limit: 9 })).toMatchObject([
        { kind: "site_unpaused", host: HOST, by: "ben", reason: null },
        { kind: "site_paused", host: HOST, ...WHO },
      ]);
      expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
    });

    it("does not take part in other sites' runs", async () => {
      const ledger = await open();
      await reserve(ledger, ["/a"]);
      await ledger.pauseSite({ ...PAUSE, host: "other.example" });
      expect((await ledger.readRun(RUN)).sites[0]?.stop).toBeNull();
    });
  });
}
