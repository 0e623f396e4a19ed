import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { LEASE_MS, NOON } from "../doubles/ledger-shop.ts";
import {
  begin,
  HOST,
  leaseMany,
  leaseOne,
  openAcquire,
  readTotal,
  reserve,
  start,
  toBudget,
  toSettlement,
  toSite,
  toSpec,
} from "../doubles/ledger-steps.ts";
import {
  beginList,
  decideListed,
  digestOf,
  LIST_PROCESS,
  LIST_RUN,
  recordPaths,
  toListed,
} from "../doubles/list-driver.ts";

const LATER = NOON + LEASE_MS + 1;

/** What every ledger promises of the runs that buy from a list. */
export function describeLists(open: () => Promise<Ledger>): void {
  const pagesOf = async (ledger: Ledger) => (await ledger.readRun(LIST_RUN)).pages;
  const assertSound = async (ledger: Ledger) => {
    expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
  };
  const buyReserved = async (ledger: Ledger, now = NOON) => {
    const { leaseId, purchases } = await openAcquire(ledger, { runId: LIST_RUN, now });
    for (const { purchaseId } of purchases) {
      await start(ledger, leaseId, purchaseId, now);
      await ledger.settlePurchase(toSettlement(purchaseId, { now }));
    }
  };

  describe("a plan in the making that has a list", () => {
    const plan = toSpec({ runId: "plan_1", kind: "planning" });
    const path = "/lists/pages.jsonl";
    const worker = { process: "here:1:plan", now: NOON, aliveMs: LEASE_MS, gone: [] };
    const planList = async (ledger: Ledger) => {
      await ledger.createRun(plan, worker, { source: "list", path });
      const key = toListed("/a", 1, { key: "planned" });
      await recordPaths(ledger, [key, "/b"], {
        runId: plan.runId,
        process: worker.process,
        lines: 3,
        rejected: [{ line: 3, reason: "not_a_url", raw: "x" }],
      });
    };

    it("does not walk, is not the run of its file, and says nothing of stored pages", async () => {
      const ledger = await open();
      await beginList(ledger, { which: { kind: "list", source: "list", path: "/lists/other.jsonl" } });
      await recordPaths(ledger, [toListed("/a", 1, { key: "own" })]);
      await decideListed(ledger);
      await buyReserved(ledger);
      await ledger.endRun({ runId: LIST_RUN, state: "completed", reason: null, now: NOON });
      await planList(ledger);
      expect(await ledger.findListRun({ source: "list", path })).toBeNull();
      expect(await ledger.readRun(plan.runId)).toMatchObject({
        list: { source: "list", path, lines: 3, pages: 2, isRead: true, rejected: { not_a_url: 1 } },
      });
      const url = `https://${HOST}/a`;
      expect(await ledger.findHeld({ urls: [url] })).toMatchObject([{ document: { key: "own" } }]);
      const documents = await ledger.readDocuments({ host: null, sinceAt: null, afterPageId: 0, limit: 10 });
      expect(documents).toMatchObject([{ url, key: "own" }]);
      const leases = await leaseMany(ledger, { runId: plan.runId });
      expect(leases.map(({ stage }) => stage)).toEqual(["quote"]);
      await assertSound(ledger);
    });

    it("leaves nothing when it is discarded, or when its process died", async () => {
      const ledger = await open();
      await planList(ledger);
      await ledger.discardPlan(plan.runId);
      await ledger.discardPlan(plan.runId);
      await expect(ledger.readRun(plan.runId)).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
      await planList(ledger);
      await begin(ledger, { which: { kind: "fresh" }, runId: "run_2", now: LATER, process: "here:2:run" });
      await expect(ledger.readRun(plan.runId)).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
      // Its rows would break the references, and the promises.
      await assertSound(ledger);
    });
  });

  describe("a run with a list", () => {
    it("does not walk: its lines bring its pages, in their order, with their terms", async () => {
      const ledger = await open();
      await reserve(ledger, ["/c"], { runId: "run_before" });
      await ledger.endRun({ runId: "run_before", state: "cancelled", reason: null, now: NOON });
      expect((await beginList(ledger)).list).toEqual({
        source: "list",
        path: "/lists/pages.jsonl",
        linesRead: 0,
        digest: null,
        isRead: false,
      });
      expect(await leaseMany(ledger, { runId: LIST_RUN })).toEqual([]);
      const terms = {
        maxPrice: { micros: toMicros(20_000), currency: "USD" },
        license: { licenseType: "CUSTOM_LICENSE", cuid: "c1" },
        value: 2.5,
      };
      const pages = [toListed("/b", 1), toListed("/c", 2, { terms, key: "doc-7" })];
      expect(await recordPaths(ledger, pages)).toEqual({
        stale: false,
        sites: [{ host: HOST, seen: 2, candidates: 2, otherScheme: null }],
      });
      const { leaseId } = await leaseOne(ledger, "quote", { runId: LIST_RUN });
      const opened = await ledger.openQuoteBatch(leaseId);
      expect(opened?.pages.map(({ url, listed }) => [url, listed])).toEqual([
        [`https://${HOST}/b`, { maxPrice: null, license: null, value: null }],
        [`https://${HOST}/c`, terms],
      ]);
      await assertSound(ledger);
    });

    it("counts each page once, keeps what was left out, and records the same lines once", async () => {
      const ledger = await open();
      await beginList(ledger);
      const rejected = [{ line: 3, reason: "not_json", raw: "{" } as const];
      const first = { lines: 3, rejected, isRead: false };
      await recordPaths(ledger, ["/a", "/a"], first);
      expect(await recordPaths(ledger, ["/a", "/a"], first)).toEqual({ stale: true, sites: [] });
      await recordPaths(ledger, ["/a", toListed("/tag/x", 5, { excluded: true })], { linesBefore: 3 });
      expect(await pagesOf(ledger)).toMatchObject({ seen: 2, excluded: 1 });
      expect(await ledger.readIntake(LIST_RUN)).toEqual({
        source: "list",
        path: "/lists/pages.jsonl",
        linesRead: 5,
        digest: digestOf(5),
        isRead: true,
        waitingPages: 1,
        stoppedHosts: [],
      });
      expect(await recordPaths(ledger, ["/z"], { linesBefore: 5 })).toMatchObject({ stale: true });
      await assertSound(ledger);
    });

    it("names the first page to quote that is known under the other scheme: from before, or from the same lines", async () => {
      const ledger = await open();
      await beginList(ledger);
      const toHttp = (path: string, line: number) => {
        const url = `http://${HOST}${path}`;
        return toListed(path, line, { url, wireUrl: url });
      };
      const record = async (linesBefore: number, pages: Parameters<typeof recordPaths>[1]) =>
        (await recordPaths(ledger, pages, { linesBefore, isRead: false })).sites.map(({ otherScheme }) => otherScheme);
      expect(await record(0, ["/a", "/b"])).toEqual([null]);
      expect(await record(2, [toHttp("/c", 3), toHttp("/b", 4), toHttp("/a", 5)])).toEqual([`http://${HOST}/b`]);
      expect(await record(5, ["/d", toHttp("/d", 7)])).toEqual([`http://${HOST}/d`]);
    });

    it("leaves a page that is held unchanged, and keeps the pages of a stopped site for later", async () => {
      const ledger = await open();
      await beginList(ledger);
      await recordPaths(ledger, ["/a"]);
      await decideListed(ledger);
      await buyReserved(ledger);
      await ledger.endRun({ runId: LIST_RUN, state: "completed", reason: null, now: NOON });
      await beginList(ledger, { runId: "run_second" });
      await ledger.stopSite({ runId: "run_second", host: HOST, stop: "failed", detail: "network", now: NOON });
      await recordPaths(ledger, ["/a", "/b"], { runId: "run_second" });
      expect((await ledger.readRun("run_second")).pages).toMatchObject({ seen: 2, unchanged: 1, undecided: 1 });
      expect(await leaseMany(ledger, { runId: "run_second" })).toEqual([]);
      await assertSound(ledger);
    });

    it("is found by its file while it may go on", async () => {
      const ledger = await open();
      const file = { source: "list", path: "/lists/pages.jsonl" } as const;
      expect(await ledger.findListRun(file)).toBeNull();
      await beginList(ledger);
      await recordPaths(ledger, ["/a"], { isRead: false });
      expect(await ledger.findListRun(file)).toMatchObject({ runId: LIST_RUN, linesRead: 1, digest: digestOf(1) });
      expect(await ledger.findListRun({ ...file, source: "plan" })).toBeNull();
      await ledger.endRun({ runId: LIST_RUN, state: "completed", reason: null, now: NOON });
      expect(await ledger.findListRun(file)).toBeNull();
    });
  });

  describe("resuming a run with a list", () => {
    it("goes on behind the lines read, in the order of the list", async () => {
      const ledger = await open();
      await beginList(ledger);
      await recordPaths(ledger, ["/d", "/c"], { isRead: false });
      await decideListed(ledger);
      await recordPaths(ledger, ["/b", "/a"], { linesBefore: 2, isRead: false });
      const resumed = await beginList(ledger, {
        which: { kind: "named", runId: LIST_RUN },
        process: "here:2:list",
        now: LATER,
      });
      expect(resumed).toMatchObject({ resumed: true, list: { linesRead: 4, isRead: false } });
      expect(await recordPaths(ledger, ["/e"], { linesBefore: 4 })).toMatchObject({ stale: true });
      expect(await decideListed(ledger, { now: LATER })).toEqual(["/d", "/c"]);
      await buyReserved(ledger, LATER);
      expect(await decideListed(ledger, { now: LATER })).toEqual(["/b", "/a"]);
      expect(await readTotal(ledger)).toMatchObject({ spentMicros: 20_000, reservedMicros: 20_000 });
      await assertSound(ledger);
    });

    it("makes its pages from the ledger after a limit, and decides those anew that it has not bought", async () => {
      const ledger = await open();
      await beginList(ledger);
      await recordPaths(ledger, ["/a", "/b", toListed("/tag/x", 3, { excluded: true })], { isRead: false });
      await decideListed(ledger, { budgets: [toBudget(15_000)] });
      await buyReserved(ledger);
      await ledger.endRun({ runId: LIST_RUN, state: "budget_exhausted", reason: "all", now: NOON });
      await beginList(ledger, { which: { kind: "named", runId: LIST_RUN } });
      expect(await pagesOf(ledger)).toMatchObject({ seen: 3, excluded: 1, approved: 1, denied: 0, undecided: 1 });
      expect(await decideListed(ledger)).toEqual(["/b"]);
      expect(await recordPaths(ledger, ["/b", "/c"], { linesBefore: 3 })).toMatchObject({ sites: [{ seen: 1 }] });
      await assertSound(ledger);
    });
  });

  describe("a run beside the run of a list", () => {
    const dieWithWork = async (ledger: Ledger) => {
      await beginList(ledger);
      await recordPaths(ledger, ["/a", "/b"], { isRead: false });
      await decideListed(ledger, { acquireBatchSize: 1 });
      const { leaseId, purchases } = await openAcquire(ledger, { runId: LIST_RUN });
      await start(ledger, leaseId, purchases[0]?.purchaseId as number);
      return purchases[0]?.purchaseId as number;
    };

    it("frees what a dead one held, and leaves it to be resumed", async () => {
      const ledger = await open();
      const purchaseId = await dieWithWork(ledger);
      const next = { which: { kind: "interrupted" }, process: "here:3:n", now: LATER } as const;
      expect(await begin(ledger, next)).toMatchObject({
        spec: { runId: "run_new" },
        takenOver: [{ runId: LIST_RUN, state: "running", released: 1, started: 1, isResumable: true }],
      });
      expect(await begin(ledger, next)).toMatchObject({ spec: { runId: "run_new" } });
      await ledger.settlePurchase(toSettlement(purchaseId, { now: LATER }));
      await ledger.endRun({ runId: LIST_RUN, state: "interrupted", reason: null, now: LATER, process: "here:3:n" });
      await ledger.endRun({ runId: "run_new", state: "completed", reason: null, now: LATER });
      const file = { source: "list", path: "/lists/pages.jsonl" } as const;
      expect(await ledger.findListRun(file)).toMatchObject({ runId: LIST_RUN, linesRead: 2 });
      await beginList(ledger, { which: { kind: "named", runId: LIST_RUN }, now: LATER });
      expect(await decideListed(ledger, { now: LATER })).toEqual(["/b"]);
      await assertSound(ledger);
    });

    it("leaves an interrupted one alone, and does not resume it by itself", async () => {
      const ledger = await open();
      await beginList(ledger);
      await recordPaths(ledger, ["/a"], { isRead: false });
      await ledger.endRun({ runId: LIST_RUN, state: "interrupted", reason: "SIGINT", now: NOON });
      const begun = await begin(ledger, { which: { kind: "interrupted" } });
      expect(begun).toMatchObject({ spec: { runId: "run_new" }, resumed: false, takenOver: [], list: null });
      expect(await ledger.findListRun({ source: "list", path: "/lists/pages.jsonl" })).not.toBeNull();
    });

    it("works beside a fetch, which takes over none and is not resumed", async () => {
      const ledger = await open();
      const fetch = { kind: "list", source: "fetch", path: null } as const;
      await begin(ledger, { which: { kind: "fresh" } });
      expect(await beginList(ledger, { which: fetch })).toMatchObject({ takenOver: [], list: { source: "fetch" } });
      await ledger.endRun({ runId: "run_new", state: "completed", reason: null, now: NOON });
      const again = await begin(ledger, { which: { kind: "fresh" }, runId: "run_third", process: "here:4:n" });
      expect(again).toMatchObject({ kind: "begun", takenOver: [] });
      await ledger.endRun({ runId: LIST_RUN, state: "interrupted", reason: null, now: NOON, process: LIST_PROCESS });
      await expect(begin(ledger, { which: { kind: "named", runId: LIST_RUN } })).rejects.toMatchObject({
        code: "RUN_NOT_FOUND",
      });
    });

    it("is refused while the run of a list of the same site is alive", async () => {
      const ledger = await open();
      await beginList(ledger);
      expect(await begin(ledger, { which: { kind: "fresh" } })).toMatchObject({ kind: "alive", runId: LIST_RUN });
      const sites = [toSite({ host: "other.example" })];
      expect(await begin(ledger, { which: { kind: "fresh" }, sites, configured: sites })).toMatchObject({
        kind: "begun",
      });
    });
  });
}
