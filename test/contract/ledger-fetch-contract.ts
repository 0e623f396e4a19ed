import { describe, expect, it } from "vitest";
import type { FetchBatchEnd, FetchBegun } from "../../src/ledger/fetch-ledger.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { LEASE_MS, NOON } from "../doubles/ledger-shop.ts";
import {
  HOST,
  leaseMany,
  openAcquire,
  start,
  toApproval,
  toDecideRequest,
  toRate,
  toSettlement,
  toSite,
} from "../doubles/ledger-steps.ts";
import { digestOf, toListed } from "../doubles/list-driver.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const PROCESS = "here:1:fetch";
const RUN = "run_fetch";
const LEASE = { limit: 16, leaseMs: LEASE_MS, maxWaitingPages: 0 };
const OWN = { runId: RUN, process: PROCESS, now: NOON };
const DONE = { state: "completed", reason: null } as const;

/** @param sites the paths of its pages, site by site */
function beginFetch(ledger: Ledger, ...sites: readonly (readonly string[])[]): Promise<FetchBegun> {
  const hosts = sites.map((_, index) => (index === 0 ? HOST : `site-${index}.example`));
  const pages = sites.flatMap((paths, index) => paths.map((path) => [path, hosts[index] ?? ""] as const));
  const none = { maxPages: null, maxSpend: null };
  return ledger.beginFetch({
    begin: {
      ...{ process: PROCESS, now: NOON, aliveMs: LEASE_MS, gone: [], runId: RUN, trigger: "list" },
      which: { kind: "list", source: "fetch", path: null },
      sites: hosts.map((host) => toSite({ host })),
      configured: hosts.map((host) => toSite({ host })),
      callerLimits: none,
      limits: { ...none, maxDurationMs: null },
      callerOrder: null,
      order: "catalog",
    },
    lines: {
      ...{ linesBefore: 0, lines: pages.length, digest: digestOf(pages.length), isRead: true, rejected: [] },
      pages: pages.map(([path, host], index) => toListed(path, index + 1, { host })),
      sites: hosts.map((host) => ({ host, refresh: { when: "modified", maxAgeMs: null }, intent: "content" })),
      quoteBatchSize: 100,
    },
    lease: LEASE,
  });
}

async function approveAll(ledger: Ledger, { leases }: FetchBegun): Promise<void> {
  for (const { leaseId } of leases) {
    const pages = (await ledger.openQuoteBatch(leaseId))?.pages ?? [];
    const made = pages.map(({ pageId }) => toApproval(pageId, toRate(10_000)));
    await ledger.decide(toDecideRequest(leaseId, made));
  }
}

const toEnd = (leaseId: string, end: FetchBatchEnd["end"] = DONE, process = PROCESS): FetchBatchEnd => ({
  leaseId,
  end,
  lease: { ...LEASE, ...OWN, process },
});

/** A fetch whose pages are started, one acquire batch. */
async function startAll(ledger: Ledger, ...paths: readonly string[]) {
  await approveAll(ledger, await beginFetch(ledger, paths));
  const opened = await openAcquire(ledger, { runId: RUN });
  for (const { purchaseId } of opened.purchases) {
    await start(ledger, opened.leaseId, purchaseId);
  }
  return { leaseId: opened.leaseId, ids: opened.purchases.map(({ purchaseId }) => purchaseId) };
}

/** What every ledger promises of the writes that a fetch joins. */
export function describeFetches(open: OpenLedger): void {
  const stateOf = async (ledger: Ledger) => (await ledger.readRun(RUN)).state;
  const assertSound = async (ledger: Ledger) => {
    expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
  };

  describe("the run of a fetch", () => {
    it("begins with its pages and the leases of their quotes, once", async () => {
      const ledger = await open();
      const { begun, recorded, leases } = await beginFetch(ledger, ["/a", "/b"]);
      expect(begun).toMatchObject({ kind: "begun", resumed: false, spec: { runId: RUN, kind: "fetch" } });
      expect(recorded).toMatchObject({ stale: false, sites: [{ host: HOST, seen: 2, candidates: 2 }] });
      expect(leases).toMatchObject([{ stage: "quote", host: HOST }]);
      const again = await beginFetch(ledger, ["/a", "/b"]);
      expect(again).toMatchObject({
        begun: { kind: "begun", spec: { runId: RUN } },
        recorded: { stale: true },
        leases: [],
      });
      expect((await ledger.openQuoteBatch(leases[0]?.leaseId ?? ""))?.pages).toHaveLength(2);
      await assertSound(ledger);
    });

    it("settles its last purchase and ends, once", async () => {
      const ledger = await open();
      const { leaseId, ids } = await startAll(ledger, "/a");
      const settlement = { ...toSettlement(ids[0] ?? 0), last: toEnd(leaseId) };
      const ended = { isFinished: true, isEnded: true, leases: [] };
      expect(await ledger.settleLast(settlement)).toEqual({
        settled: { outcome: "settled", stopped: null },
        last: ended,
      });
      expect(await stateOf(ledger)).toBe("completed");
      expect(await ledger.settleLast(settlement)).toEqual({
        settled: { outcome: "repeated", stopped: null },
        last: { isFinished: false, isEnded: false, leases: [] },
      });
      expect(await ledger.readFetched({ runId: RUN, urls: [`https://${HOST}/a`] })).toMatchObject([
        { state: "settled" },
      ]);
      await assertSound(ledger);
    });

    it("keeps a batch that has other purchases open, and goes on", async () => {
      const ledger = await open();
      const { leaseId, ids } = await startAll(ledger, "/a", "/b");
      const settled = await ledger.settleLast({ ...toSettlement(ids[0] ?? 0), last: toEnd(leaseId) });
      expect(settled).toMatchObject({ settled: { outcome: "settled" }, last: { isFinished: false, isEnded: false } });
      expect(await stateOf(ledger)).toBe("running");
      expect(await ledger.endFetchBatch(toEnd(leaseId))).toMatchObject({ isFinished: false, isEnded: false });
      await ledger.settlePurchase(toSettlement(ids[1] ?? 0));
      expect(await ledger.endFetchBatch(toEnd(leaseId))).toEqual({ isFinished: true, isEnded: true, leases: [] });
      expect(await ledger.endFetchBatch(toEnd(leaseId))).toEqual({ isFinished: false, isEnded: false, leases: [] });
      await assertSound(ledger);
    });

    it("leases what is left instead of ending", async () => {
      const ledger = await open();
      await approveAll(ledger, await beginFetch(ledger, ["/a"], ["/b"]));
      const [lease] = await leaseMany(ledger, { runId: RUN, limit: 1 });
      const leaseId = lease?.leaseId ?? "";
      const [purchase] = (await ledger.openAcquireBatch(leaseId))?.purchases ?? [];
      const purchaseId = purchase?.purchaseId ?? 0;
      await start(ledger, leaseId, purchaseId);
      const { last } = await ledger.settleLast({ ...toSettlement(purchaseId), last: toEnd(leaseId) });
      expect(last).toMatchObject({ isFinished: true, isEnded: false, leases: [{ stage: "acquire" }] });
      expect(await stateOf(ledger)).toBe("running");
      await assertSound(ledger);
    });

    it("is not ended by a process that it does not belong to, or without a word how", async () => {
      const ledger = await open();
      const { leaseId, ids } = await startAll(ledger, "/a");
      await ledger.settlePurchase(toSettlement(ids[0] ?? 0));
      const others = toEnd(leaseId, DONE, "here:2:other");
      expect(await ledger.endFetchBatch(others)).toEqual({ isFinished: true, isEnded: false, leases: [] });
      expect(await stateOf(ledger)).toBe("running");

      const silent = await open();
      const one = await startAll(silent, "/a");
      const { last } = await silent.settleLast({ ...toSettlement(one.ids[0] ?? 0), last: toEnd(one.leaseId, null) });
      expect(last).toEqual({ isFinished: true, isEnded: false, leases: [] });
      expect(await stateOf(silent)).toBe("running");
    });
  });
}
