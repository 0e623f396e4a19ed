import { describe, expect, it } from "vitest";
import { LEASE_MS, NOON } from "../doubles/ledger-shop.ts";
import { decideBatch, leaseMany, leaseOne, RUN, toEntry, toSite, toSpec, walkPage } from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

export function describeLeases(open: OpenLedger): void {
  describe("leases", () => {
    it("leases a batch to one holder until the lease expires, then to another, and the first is stale", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      const first = await leaseOne(ledger, "walk");
      expect(await leaseMany(ledger, { now: NOON + LEASE_MS - 1 })).toEqual([]);
      const [second] = await leaseMany(ledger, { now: NOON + LEASE_MS });
      expect(await ledger.openWalk(first.leaseId)).toBeNull();
      expect(await ledger.renewLease({ leaseId: first.leaseId, expiresAt: NOON * 2 })).toBe(false);
      expect(await ledger.returnBatch({ leaseId: first.leaseId, notBefore: 0 })).toBe(false);
      expect(await ledger.endWalk({ leaseId: first.leaseId, warning: "stale", now: NOON })).toBe(false);
      expect((await ledger.openWalk(second?.leaseId ?? ""))?.attempt).toBe(2);
    });

    it("renews a lease, also an expired one until the batch is leased again", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      const { leaseId } = await leaseOne(ledger, "walk");
      expect((await ledger.openWalk(leaseId))?.leasedUntil).toBe(NOON + LEASE_MS);
      expect(await ledger.renewLease({ leaseId, expiresAt: NOON + 2 * LEASE_MS })).toBe(true);
      expect((await ledger.openWalk(leaseId))?.leasedUntil).toBe(NOON + 2 * LEASE_MS);
      expect(await leaseMany(ledger, { now: NOON + LEASE_MS })).toEqual([]);
      expect(await ledger.returnBatch({ leaseId, notBefore: NOON + 5_000 })).toBe(true);
      expect(await ledger.returnBatch({ leaseId, notBefore: NOON })).toBe(false);
      expect(await ledger.readProgress({ runId: RUN, now: NOON })).toEqual({
        isRunning: true,
        openBatches: 1,
        leasedBatches: 0,
        nextReadyAt: NOON + 5_000,
      });
      expect(await leaseMany(ledger, { now: NOON + 4_999 })).toEqual([]);
      expect(await leaseMany(ledger, { now: NOON + 5_000 })).toHaveLength(1);
    });

    it("ends a lease that is further away than any lasts: the clock that made it was ahead", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      const ahead = NOON + 2 * 3_600_000;
      const first = await leaseOne(ledger, "walk", { now: ahead });
      expect(await leaseMany(ledger)).toEqual([]);
      expect(await leaseMany(ledger)).toHaveLength(1);
      expect(await ledger.openWalk(first.leaseId)).toBeNull();
      // Two clocks may differ by some minutes.
      expect(await leaseMany(ledger, { now: NOON - 300_000 })).toEqual([]);
      expect(await leaseMany(ledger, { now: NOON - 300_000 })).toEqual([]);
    });

    it.each(["", "1", "1.1.1", "x.y", "1.-1", "99999999999999999999.1", "1.1; DROP TABLE batch"])(
      "treats %j as a stale lease",
      async (leaseId) => {
        const ledger = await open();
        await ledger.createRun(toSpec());
        expect(await ledger.openWalk(leaseId)).toBeNull();
        expect(await ledger.openQuoteBatch(leaseId)).toBeNull();
        expect(await ledger.openAcquireBatch(leaseId)).toBeNull();
        expect(await ledger.renewLease({ leaseId, expiresAt: NOON })).toBe(false);
        expect(await ledger.finishAcquireBatch(leaseId)).toBe(false);
      },
    );

    it("serves sites in turn, so that a large one does not starve a small one", async () => {
      const ledger = await open();
      const hosts = ["a.example", "b.example", "c.example"];
      await ledger.createRun(toSpec({ sites: hosts.map((host) => toSite({ host })) }));
      const served: string[] = [];
      for (let turn = 0; turn < 3; turn++) {
        const [lease] = await leaseMany(ledger, { limit: 1 });
        served.push(lease?.host ?? "");
      }
      expect(served).toEqual(hosts);
      const large = ["/1", "/2", "/3", "/4"].map((path) => toEntry(path, {}, "a.example"));
      const [again] = await leaseMany(ledger, { limit: 1, now: NOON + LEASE_MS });
      const walk = await ledger.openWalk(again?.leaseId ?? "");
      await ledger.recordCatalogPage({
        leaseId: again?.leaseId ?? "",
        now: NOON,
        entries: large,
        rejected: [],
        refresh: { when: "modified", maxAgeMs: null },
        next: { ...(walk?.walk as NonNullable<typeof walk>["walk"]), pagesRead: 1, ended: "complete" },
        quoteBatchSize: 1,
        intent: "content",
      });
      const leases = await leaseMany(ledger, { limit: 4, now: NOON + LEASE_MS });
      expect(leases.map(({ host }) => host)).toEqual(["b.example", "c.example", "a.example", "a.example"]);
    });

    it("leases what is nearest to settlement first", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await walkPage(ledger, { entries: [toEntry("/a"), toEntry("/b")], nextPageToken: "2", quoteBatchSize: 1 });
      await decideBatch(ledger);
      const leases = await leaseMany(ledger);
      expect(leases.map(({ stage }) => stage)).toEqual(["acquire", "quote", "walk"]);
    });

    it("leases no more of a stage than it has room for, and what is nearest to settlement among those that have some", async () => {
      const ledger = await open();
      const hosts = ["a.example", "b.example", "c.example"];
      await ledger.createRun(toSpec({ sites: hosts.map((host) => toSite({ host })) }));
      for (const host of hosts.slice(0, 2)) {
        await walkPage(ledger, { entries: [toEntry("/1", {}, host)] });
      }
      expect(await leaseMany(ledger, { stages: { acquire: 9 } })).toEqual([]);
      expect(await leaseMany(ledger, { stages: { walk: 0, quote: 1 } })).toMatchObject([
        { stage: "quote", host: "a.example" },
      ]);
      expect(await leaseMany(ledger, { stages: { walk: 1, quote: 1, acquire: 1 } })).toMatchObject([
        { stage: "quote", host: "b.example" },
        { stage: "walk", host: "c.example" },
      ]);
    });

    it("begins so many walks at once", async () => {
      const ledger = await open();
      const hosts = ["a.example", "b.example", "c.example"];
      await ledger.createRun(toSpec({ sites: hosts.map((host) => toSite({ host })) }));
      const walks = await leaseMany(ledger, { stages: { walk: 2, quote: 9, acquire: 9 } });
      expect(walks.map(({ host }) => host)).toEqual(hosts.slice(0, 2));
    });

    it("pauses the walk while the maximum number of pages waits, and not one fewer", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await walkPage(ledger, { entries: [toEntry("/a"), toEntry("/b")], nextPageToken: "2", quoteBatchSize: 2 });
      await leaseOne(ledger, "quote");
      expect(await leaseMany(ledger, { maxWaitingPages: 2 })).toEqual([]);
      expect(await leaseMany(ledger, { maxWaitingPages: 3 })).toMatchObject([{ stage: "walk" }]);
    });

    it("does not let a batch that is still filling wait for ever", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await walkPage(ledger, { entries: [toEntry("/a")], nextPageToken: "2" });
      const walk = await leaseOne(ledger, "walk");
      expect(await leaseMany(ledger)).toEqual([]);
      await ledger.returnBatch({ leaseId: walk.leaseId, notBefore: NOON + LEASE_MS });
      expect(await leaseMany(ledger)).toMatchObject([{ stage: "quote" }]);
    });

    it("takes a batch that is not full only when nothing of the run is under way, or when the run walks no catalog", async () => {
      const ledger = await open();
      const hosts = ["a.example", "b.example"];
      await ledger.createRun(toSpec({ sites: hosts.map((host) => toSite({ host })) }));
      await walkPage(ledger, { entries: [toEntry("/1", {}, "a.example")], nextPageToken: "2" });
      const [other] = await leaseMany(ledger, { stages: { walk: 1 } });
      expect(other).toMatchObject({ stage: "walk", host: "b.example" });
      const rest = { stages: { quote: 9, acquire: 9 } };
      expect(await leaseMany(ledger, rest)).toEqual([]);
      await ledger.returnBatch({ leaseId: other?.leaseId ?? "", notBefore: NOON + LEASE_MS });
      // The walk of its site may go on, and has only no room now.
      expect(await leaseMany(ledger, rest)).toEqual([]);
      const [walk] = await leaseMany(ledger, { stages: { walk: 1 } });
      await ledger.returnBatch({ leaseId: walk?.leaseId ?? "", notBefore: NOON + LEASE_MS });
      expect(await leaseMany(ledger, rest)).toMatchObject([{ stage: "quote", host: "a.example" }]);
    });

    it("leases nothing of a run that is not running or not known", async () => {
      const ledger = await open();
      expect(await leaseMany(ledger, { runId: "run_0" })).toEqual([]);
      await ledger.createRun(toSpec());
      await ledger.endRun({ runId: RUN, state: "failed", reason: null, now: NOON });
      expect(await leaseMany(ledger)).toEqual([]);
    });
  });
}
