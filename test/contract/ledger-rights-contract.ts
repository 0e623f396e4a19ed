import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { ExpiryPolicies } from "../../src/rights/rights.ts";
import { NOON } from "../doubles/ledger-shop.ts";
import {
  decideBatch,
  HOST,
  leaseOne,
  openAcquire,
  reserve,
  start,
  toApproval,
  toDecideRequest,
  toEntry,
  toRate,
  toSettlement,
  toSite,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";
import { beginList, decideListed, LIST_RUN, recordPaths } from "../doubles/list-driver.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RELICENSE: ExpiryPolicies = { standard: { retentionMs: null, onExpiry: "relicense" } };
const MODIFIED = { when: "modified", maxAgeMs: null } as const;

interface Bought {
  readonly runId?: string;
  readonly paths?: readonly string[];
  readonly at?: number;
  /** Of the quote, and of the answer. */
  readonly validUntilAt?: number | null;
  readonly answeredUntilAt?: number | null;
  readonly retentionMs?: number | null;
}

async function buy(ledger: Ledger, bought: Bought = {}): Promise<void> {
  const { runId = "run_1", paths = ["/a"], at = NOON, validUntilAt = null, answeredUntilAt = null } = bought;
  const rate = { ...toRate(10_000), validUntilAt };
  const terms = { rate, now: at, retentionMs: bought.retentionMs ?? null, expiry: RELICENSE, refresh: MODIFIED };
  await reserve(ledger, paths, { runId, ...terms });
  await settleAll(ledger, runId, at, answeredUntilAt);
}

async function settleAll(ledger: Ledger, runId: string, at: number, validUntilAt: number | null): Promise<void> {
  const { leaseId, purchases } = await openAcquire(ledger, { runId, now: at });
  for (const { purchaseId } of purchases) {
    await start(ledger, leaseId, purchaseId, at);
    await ledger.settlePurchase(toSettlement(purchaseId, { now: at, validUntilAt }));
  }
  await ledger.finishAcquireBatch(leaseId);
  await ledger.endRun({ runId, state: "completed", reason: null, now: at });
}

function readExpiring(ledger: Ledger, until: number, policies: ExpiryPolicies = RELICENSE) {
  return ledger.readExpiring({ policies, now: NOON, until, limit: 10 });
}

/** Begins a run, and gives its lease of the walk with the pages that are to be renewed. */
async function listRenewals(ledger: Ledger, runId: string, now: number) {
  await ledger.createRun(toSpec({ runId, startedAt: now }));
  const { leaseId } = await leaseOne(ledger, "walk", { runId, now });
  const pages: { pageId: number; url: string }[] = [];
  let after: Parameters<Ledger["listRenewals"]>[0]["after"] = null;
  for (let isMore = true; isMore; ) {
    const piece = await ledger.listRenewals({ leaseId, policies: RELICENSE, now, after, limit: 1 });
    pages.push(...piece.pages);
    after = piece.next;
    isMore = after !== null;
  }
  return { leaseId, pages };
}

function admit(ledger: Ledger, leaseId: string, pageIds: readonly number[], now: number) {
  const terms = { refresh: { ...MODIFIED, when: "never" }, intent: "content", quoteBatchSize: 10 } as const;
  return ledger.admitRenewals({ leaseId, pageIds, policies: RELICENSE, now, ...terms });
}

/** Walks `/a` and `/b` in a run that decides the best first. @returns a function that decides both candidates */
async function makeCandidates(ledger: Ledger, runId: string, now: number, rate: ReturnType<typeof toRate>) {
  await ledger.createRun(toSpec({ runId, startedAt: now, sites: [toSite()] }));
  await walkPage(ledger, { entries: [toEntry("/a"), toEntry("/b")], runId, now, expiry: RELICENSE });
  const { leaseId } = await leaseOne(ledger, "quote", { runId, now });
  const pages = (await ledger.openQuoteBatch(leaseId))?.pages ?? [];
  const decisions = pages.map(({ pageId }) => toApproval(pageId, rate));
  await ledger.recordCandidates({
    leaseId,
    now,
    order: "cheapest",
    policyName: "standard",
    decisions: decisions.map((decision) => ({ ...decision, value: 1 })),
  });
  const { leaseId: _, decisions: _none, ...terms } = toDecideRequest(leaseId, [], { now, expiry: RELICENSE });
  const sites = [{ host: HOST, ...terms }];
  return async () =>
    (await ledger.decideCandidates({ ...terms, runId, process: "here:1:a", sites, decisions, noRoom: "deny" })).sites;
}

export function describeRights(open: OpenLedger): void {
  describe("the end of rights", () => {
    it("is the earlier one of the quote, the answer and the retention", async () => {
      const ledger = await open();
      await buy(ledger, { runId: "run_1", paths: ["/quoted"], validUntilAt: NOON + HOUR_MS });
      const both = { validUntilAt: NOON + 3 * HOUR_MS, answeredUntilAt: NOON + 2 * HOUR_MS };
      await buy(ledger, { runId: "run_2", paths: ["/answered"], ...both });
      await buy(ledger, { runId: "run_3", paths: ["/retained"], retentionMs: 4 * HOUR_MS });
      await buy(ledger, { runId: "run_4", paths: ["/endless"] });
      const { documents } = await readExpiring(ledger, NOON + DAY_MS, {});
      const ends = documents.map(({ url, endsAt, why }) => [new URL(url).pathname, (endsAt - NOON) / HOUR_MS, why]);
      expect(ends).toEqual([
        ["/quoted", 1, "validUntil"],
        ["/answered", 2, "validUntil"],
        ["/retained", 4, "retention"],
      ]);
      expect((await readExpiring(ledger, NOON + HOUR_MS - 1, {})).documents).toEqual([]);
      const short = { standard: { retentionMs: 30 * 60_000, onExpiry: "purge" } } as const;
      const configured = await readExpiring(ledger, NOON + HOUR_MS, short);
      expect(configured.counts).toEqual([{ host: HOST, action: "purge", ended: 0, ending: 4 }]);
    });

    it("is not listed for content that was purged, which stays stored as evidence", async () => {
      const ledger = await open();
      await buy(ledger, { validUntilAt: NOON + HOUR_MS });
      const policies = { standard: { retentionMs: null, onExpiry: "purge" } } as const;
      const purge = (now: number, dryRun = false) =>
        ledger.purge({ policies, hosts: null, named: null, now, dryRun, limit: 5 });
      expect(await purge(NOON + HOUR_MS - 1)).toMatchObject({ versions: 0 });
      expect(await purge(NOON + HOUR_MS, true)).toMatchObject({ versions: 1 });
      expect(await purge(NOON + HOUR_MS)).toMatchObject({ versions: 1, bySite: { [HOST]: 1 } });
      expect(await purge(NOON + HOUR_MS)).toMatchObject({ versions: 0 });
      expect((await ledger.cleanFile({ maxBytes: null })).state).toBe("cleaned");
      expect((await readExpiring(ledger, NOON + DAY_MS, policies)).documents).toEqual([]);
      const documents = { host: null, sinceAt: null, afterPageId: 0, limit: 10 };
      expect(await ledger.readDocuments(documents)).toEqual([]);
      expect(await ledger.readPage(`https://${HOST}/a`)).toMatchObject({ stored: { indexingOnly: false } });
      await ledger.createRun(toSpec({ runId: "run_2", startedAt: NOON + DAY_MS }));
      const walked = await walkPage(ledger, {
        entries: [toEntry("/a")],
        runId: "run_2",
        now: NOON + DAY_MS,
        expiry: policies,
      });
      expect(walked).toMatchObject({ unchanged: 1, candidates: 0 });
    });
  });

  describe("a renewal", () => {
    it("enters the run although the walk does not reach the page, once, and is bought", async () => {
      const ledger = await open();
      await buy(ledger, { paths: ["/a", "/b"], validUntilAt: NOON + DAY_MS });
      await buy(ledger, { runId: "run_2", paths: ["/live"], validUntilAt: NOON + 9 * DAY_MS });
      const now = NOON + 2 * DAY_MS;
      const { leaseId, pages } = await listRenewals(ledger, "run_3", now);
      expect(pages.map(({ url }) => url)).toEqual([`https://${HOST}/a`, `https://${HOST}/b`]);
      const pageIds = pages.map(({ pageId }) => pageId);
      expect(await admit(ledger, leaseId, pageIds, now)).toEqual({ stale: false, admitted: 2 });
      expect(await admit(ledger, leaseId, pageIds, now)).toEqual({ stale: false, admitted: 0 });
      expect(await ledger.listRenewals({ leaseId, policies: RELICENSE, now, after: null, limit: 9 })).toMatchObject({
        pages: [],
      });
      const opened = await ledger.openWalk(leaseId);
      const next = { ...(opened as NonNullable<typeof opened>).walk, pagesRead: 1, ended: "complete" } as const;
      const record = {
        leaseId,
        now,
        rejected: [],
        refresh: MODIFIED,
        next,
        quoteBatchSize: 10,
        intent: "content",
      } as const;
      const walked = await ledger.recordCatalogPage({ ...record, entries: [toEntry("/a")], expiry: RELICENSE });
      expect(walked).toMatchObject({ seen: 0, repeated: 1, walkEnded: true });
      const rate = { ...toRate(10_000), validUntilAt: now + 5 * DAY_MS };
      expect(await decideBatch(ledger, { runId: "run_3", now, rate, expiry: RELICENSE })).toMatchObject({
        approved: 2,
      });
      await settleAll(ledger, "run_3", now, null);
      expect((await ledger.readRun("run_3")).pages).toMatchObject({ seen: 2, bought: 2 });
      expect((await listRenewals(ledger, "run_4", now + HOUR_MS)).pages).toEqual([]);
    });

    it("is decided no more when another run renewed the page meanwhile", async () => {
      const ledger = await open();
      await buy(ledger, { validUntilAt: NOON + DAY_MS });
      const now = NOON + 2 * DAY_MS;
      const rate = { ...toRate(10_000), validUntilAt: now + 9 * DAY_MS };
      for (const runId of ["run_2", "run_3"]) {
        await ledger.createRun(toSpec({ runId, startedAt: now, sites: [toSite()] }));
        const walked = await walkPage(ledger, { entries: [toEntry("/a")], runId, now, expiry: RELICENSE });
        expect(walked).toMatchObject({ candidates: 1 });
      }
      await decideBatch(ledger, { runId: "run_2", now, rate, expiry: RELICENSE });
      await settleAll(ledger, "run_2", now, null);
      const second = await decideBatch(ledger, { runId: "run_3", now, rate, expiry: RELICENSE });
      expect(second).toMatchObject({ approved: 0, denied: { already_held: 1 } });
    });

    it("is bought for a list that names the page, whatever is held without an end stays", async () => {
      const ledger = await open();
      await buy(ledger, { validUntilAt: NOON + DAY_MS });
      await buy(ledger, { runId: "run_2", paths: ["/live"] });
      const now = NOON + 2 * DAY_MS;
      await beginList(ledger, { now });
      const recorded = await recordPaths(ledger, ["/a", "/live"], { now, expiry: RELICENSE });
      expect(recorded.sites).toEqual([{ host: HOST, seen: 2, candidates: 1, otherScheme: null }]);
      expect(await decideListed(ledger, { now, expiry: RELICENSE })).toEqual(["/a"]);
      expect((await ledger.readRun(LIST_RUN)).pages).toMatchObject({ approved: 1, unchanged: 1 });
    });

    it("is decided as a candidate, and no more when another run renewed the page meanwhile", async () => {
      const ledger = await open();
      await buy(ledger, { paths: ["/a", "/b"], validUntilAt: NOON + DAY_MS });
      const now = NOON + 2 * DAY_MS;
      const rate = { ...toRate(10_000), validUntilAt: now + 9 * DAY_MS };
      const decide = await makeCandidates(ledger, "run_2", now, rate);
      await ledger.createRun(toSpec({ runId: "run_3", startedAt: now, sites: [toSite()] }));
      await walkPage(ledger, { entries: [toEntry("/a")], runId: "run_3", now, expiry: RELICENSE });
      await decideBatch(ledger, { runId: "run_3", now, rate, expiry: RELICENSE });
      await settleAll(ledger, "run_3", now, null);
      expect(await decide()).toMatchObject([{ approved: 1, denied: { already_held: 1 } }]);
    });

    it("of a licence that lasts less than a day is not repeated in every run", async () => {
      const ledger = await open();
      let now = NOON;
      const bought: number[] = [];
      for (const runId of ["run_1", "run_2", "run_3", "run_4"]) {
        await ledger.createRun(toSpec({ runId, startedAt: now }));
        const walked = await walkPage(ledger, { entries: [toEntry("/a")], runId, now, expiry: RELICENSE });
        bought.push(walked.candidates);
        if (walked.candidates > 0) {
          const rate = { ...toRate(10_000), validUntilAt: now + HOUR_MS };
          await decideBatch(ledger, { runId, now, rate, expiry: RELICENSE });
          await settleAll(ledger, runId, now, null);
        } else {
          await ledger.endRun({ runId, state: "completed", reason: null, now });
        }
        now += 2 * HOUR_MS;
      }
      expect(bought).toEqual([1, 1, 0, 0]);
      const { documents } = await readExpiring(ledger, now);
      expect(documents).toMatchObject([{ action: "relicense", isTooShortToRenew: true }]);
    });
  });

  describe("a stored page that its catalog does not have any more", () => {
    it("is shown after a full walk, and not after it is there again", async () => {
      const ledger = await open();
      await buy(ledger, { paths: ["/a", "/b"], validUntilAt: NOON + HOUR_MS });
      const walk = async (runId: string, paths: readonly string[], now: number) => {
        await ledger.createRun(toSpec({ runId, startedAt: now }));
        await walkPage(ledger, { entries: paths.map((path) => toEntry(path)), runId, now });
        await ledger.endRun({ runId, state: "completed", reason: null, now });
        return ledger.readLost({ limit: 5 });
      };
      const gone = { url: `https://${HOST}/b`, host: HOST, why: "gone", since: NOON + DAY_MS };
      expect(await walk("run_2", ["/a"], NOON + DAY_MS)).toMatchObject({ gone: 1, notLicensable: 0, pages: [gone] });
      const { pages } = await listRenewals(ledger, "run_3", NOON + DAY_MS);
      expect(pages.map(({ url }) => url)).toEqual([`https://${HOST}/a`]);
      expect(await walk("run_4", ["/a", "/b"], NOON + 2 * DAY_MS)).toMatchObject({ gone: 0, pages: [] });
    });

    it("is shown when its last decision found it not licensable any more", async () => {
      const ledger = await open();
      await buy(ledger, { paths: ["/a", "/b"] });
      const now = NOON + DAY_MS;
      await ledger.createRun(toSpec({ runId: "run_2", startedAt: now }));
      const modified = { lastMod: new Date(now).toISOString(), lastModAt: now };
      await walkPage(ledger, { entries: [toEntry("/a", modified), toEntry("/b")], runId: "run_2", now });
      const verdict = { kind: "denied", ruleIndex: null, reason: "not_licensable", detail: null } as const;
      const decisions = (pageIds: readonly number[]) => pageIds.map((pageId) => ({ pageId, listing: null, verdict }));
      await decideBatch(ledger, { runId: "run_2", now, decisions });
      const lost = { url: `https://${HOST}/a`, host: HOST, purchaseId: 1, why: "not_licensable", since: now };
      expect(await ledger.readLost({ limit: 5 })).toEqual({ gone: 0, notLicensable: 1, pages: [lost] });
    });

    it("is not gone when the walk ended early", async () => {
      const ledger = await open();
      await buy(ledger, { paths: ["/a", "/b"] });
      await ledger.createRun(toSpec({ runId: "run_2", startedAt: NOON + DAY_MS }));
      await walkPage(ledger, { entries: [toEntry("/a")], runId: "run_2", now: NOON + DAY_MS, nextPageToken: "2" });
      const { leaseId } = await leaseOne(ledger, "walk", { runId: "run_2", now: NOON + DAY_MS });
      await ledger.endWalk({ leaseId, warning: "the catalog ended", now: NOON + DAY_MS });
      await ledger.endRun({ runId: "run_2", state: "completed", reason: null, now: NOON + DAY_MS });
      expect(await ledger.readLost({ limit: 5 })).toEqual({ gone: 0, notLicensable: 0, pages: [] });
    });
  });
}
