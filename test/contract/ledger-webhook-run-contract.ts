import { describe, expect, it } from "vitest";
import type { NewHint } from "../../src/ledger/hint-ledger.ts";
import { webhookRunKey } from "../../src/ledger/hint-ledger.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { admitDue, beginWebhookRun, buyAdmitted, createHint } from "../doubles/hint-driver.ts";
import { LEASE_MS, NOON } from "../doubles/ledger-shop.ts";
import {
  begin,
  decideBatch,
  HOST,
  leaseMany,
  openAcquire,
  readTotal,
  start,
  toBudget,
  toEntry,
  toSettlement,
  toSite,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";

const HOUR = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 10, 21);

/** What every ledger promises of the runs that notifications enter: no hint is lost, and none buys twice. */
export function describeWebhookRuns(open: () => Promise<Ledger>): void {
  const receive = (ledger: Ledger, ...hints: NewHint[]) => ledger.recordHints({ hints, now: NOON });
  const readWork = async (ledger: Ledger) => (await ledger.readHintWork())[0];
  const countSettled = async (ledger: Ledger) => (await readTotal(ledger)).spentMicros / 10_000;
  /** A webhook run that decides and buys everything that waits. */
  const decideNotified = async (ledger: Ledger, terms: Parameters<typeof beginWebhookRun>[1] = {}) => {
    const run = await beginWebhookRun(ledger, terms);
    await admitDue(ledger, run);
    await buyAdmitted(ledger, run);
    return run;
  };
  const assertSound = async (ledger: Ledger) => {
    expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
  };

  describe("a webhook run", () => {
    it("decides the pages of its site that were notified, without a walk, once", async () => {
      const ledger = await open();
      await receive(ledger, createHint("/a"), createHint("/b"), createHint("/tag/c"), createHint("/a", { at: NOON }));
      const run = await beginWebhookRun(ledger);
      expect(await admitDue(ledger, run)).toEqual({ stale: false, entered: 3, unchanged: 0, excluded: 1 });
      expect(await admitDue(ledger, run)).toMatchObject({ entered: 0 });
      await buyAdmitted(ledger, run);
      expect(await countSettled(ledger)).toBe(2);
      expect(await readWork(ledger)).toBeUndefined();
      expect((await ledger.readRun(run.runId)).pages).toMatchObject({ seen: 3, excluded: 1, approved: 2 });
      await assertSound(ledger);
    });

    it("is reopened by a later notification of its day, and counts on against maxPages", async () => {
      const ledger = await open();
      const configured = [toSite({ maxPages: 2 })];
      const terms = { sites: configured, configured };
      await receive(ledger, createHint("/a"));
      const first = await decideNotified(ledger, terms);
      await receive(ledger, createHint("/b"), createHint("/c"));
      const second = await beginWebhookRun(ledger, terms);
      expect(second.runId).toBe(first.runId);
      await admitDue(ledger, second);
      await buyAdmitted(ledger, second);
      expect(await countSettled(ledger)).toBe(2);
      expect(await readWork(ledger)).toMatchObject({ waiting: 1, entered: 0, nextAt: NOON + 300_000 });
      await assertSound(ledger);
    });

    it("buys a page of the same day again that was updated after it was bought", async () => {
      const ledger = await open();
      await receive(ledger, createHint("/a"));
      const first = await decideNotified(ledger);
      const now = NOON + HOUR;
      await ledger.recordHints({ hints: [createHint("/a", { at: now - 1 })], now });
      const second = await beginWebhookRun(ledger, { now });
      await admitDue(ledger, second, now);
      await assertSound(ledger);
      await buyAdmitted(ledger, second, { now });
      expect(await countSettled(ledger)).toBe(2);
      expect((await ledger.readRun(first.runId)).pages.seen).toBe(1);
      await assertSound(ledger);
    });

    it("buys a page again that was updated while it was under way", async () => {
      const ledger = await open();
      await receive(ledger, createHint("/a"));
      const first = await beginWebhookRun(ledger);
      const { runId, process } = first;
      await admitDue(ledger, first);
      await decideBatch(ledger, { runId });
      const { leaseId, purchases } = await openAcquire(ledger, { runId });
      const purchaseId = purchases[0]?.purchaseId as number;
      await start(ledger, leaseId, purchaseId);
      const now = NOON + 2_000;
      await ledger.recordHints({ hints: [createHint("/a", { at: NOON + 1_000 })], now });
      await ledger.settlePurchase(toSettlement(purchaseId, { now }));
      await ledger.endRun({ runId, state: "completed", reason: null, now, process });
      const second = await beginWebhookRun(ledger, { now });
      expect(await admitDue(ledger, second, now)).toMatchObject({ entered: 1 });
      await buyAdmitted(ledger, second, { now });
      expect(await countSettled(ledger)).toBe(2);
      await assertSound(ledger);
    });

    it("buys an updated page again whose stored version has a date in the future", async () => {
      const ledger = await open();
      await receive(ledger, createHint("/a", { at: NOON + 400 * 24 * HOUR, kind: "created" }));
      await decideNotified(ledger);
      const now = NOON + HOUR;
      await ledger.recordHints({ hints: [createHint("/a", { at: now - 1 })], now });
      const second = await beginWebhookRun(ledger, { now });
      await admitDue(ledger, second, now);
      await buyAdmitted(ledger, second, { now });
      expect(await countSettled(ledger)).toBe(2);
      await assertSound(ledger);
    });

    it("buys an updated page again whose last date came from a clock that was ahead when it was received", async () => {
      const ledger = await open();
      const ahead = NOON + 400 * 24 * HOUR;
      await ledger.recordHints({ hints: [createHint("/a", { at: ahead })], now: ahead });
      await decideNotified(ledger);
      const now = NOON + HOUR;
      await ledger.recordHints({ hints: [createHint("/a", { at: now - 1 })], now });
      const second = await beginWebhookRun(ledger, { now });
      expect(await admitDue(ledger, second, now)).toMatchObject({ entered: 1, unchanged: 0 });
      await buyAdmitted(ledger, second, { now });
      expect(await countSettled(ledger)).toBe(2);
      await assertSound(ledger);
    });

    it.each([
      ["was bought after the notification's date", createHint("/a", { at: NOON - 1 })],
      ["is held, and was created", createHint("/a", { at: NOON + HOUR, kind: "created" })],
      ["may have been bought after it changed", createHint("/a", { at: NOON + HOUR, changedAfter: NOON - 1 })],
      ["was bought after an undated notification", createHint("/a", { at: null, changedAfter: NOON - 1 })],
    ])("quotes no page that %s", async (_name, hint) => {
      const ledger = await open();
      await receive(ledger, createHint("/a", { at: NOON - HOUR }));
      await decideNotified(ledger);
      const now = NOON + 2 * HOUR;
      await ledger.recordHints({ hints: [hint], now });
      const second = await beginWebhookRun(ledger, { now });
      expect(await admitDue(ledger, second, now)).toMatchObject({ entered: 0, unchanged: 1 });
      expect(await readWork(ledger)).toBeUndefined();
      await assertSound(ledger);
    });

    it("goes on soundly where a clock that was ahead took its day for over", async () => {
      const ledger = await open();
      await receive(ledger, createHint("/a"));
      const first = await decideNotified(ledger);
      const ahead = await beginWebhookRun(ledger, { now: NOON + 48 * HOUR });
      const end = { state: "completed", reason: null, now: NOON + 48 * HOUR } as const;
      await ledger.endRun({ ...end, runId: ahead.runId, process: ahead.process });
      await receive(ledger, createHint("/b"));
      const second = await beginWebhookRun(ledger);
      expect(second.runId).toBe(first.runId);
      await admitDue(ledger, second);
      await assertSound(ledger);
      await buyAdmitted(ledger, second);
      expect((await ledger.readRun(second.runId)).pages).toMatchObject({ seen: 2, approved: 2 });
      await assertSound(ledger);
    });

    it("leaves the marks of its site's walks alone", async () => {
      const ledger = await open();
      await receive(ledger, createHint("/a"));
      await decideNotified(ledger);
      const site = toSite({ fullWalkEveryMs: 7 * 24 * HOUR });
      const walk = await begin(ledger, { which: { kind: "fresh" }, sites: [site], configured: [site] });
      expect(walk.kind).toBe("begun");
      const [lease] = await leaseMany(ledger, { runId: "run_new" });
      expect((await ledger.openWalk(lease?.leaseId ?? ""))?.walk.stopBelowAt).toBeNull();
    });
  });

  describe("the hints of a webhook run", () => {
    /** One page waits for its quote, one is reserved, one is started, one is settled. */
    async function workHalf(ledger: Ledger) {
      await receive(ledger, createHint("/settled"), createHint("/started"), createHint("/reserved"));
      const run = await beginWebhookRun(ledger);
      await admitDue(ledger, run);
      await decideBatch(ledger, { runId: run.runId });
      const acquire = await openAcquire(ledger, { runId: run.runId });
      const [settled, started] = acquire.purchases.map(({ purchaseId }) => purchaseId) as [number, number, number];
      await start(ledger, acquire.leaseId, settled);
      await ledger.settlePurchase(toSettlement(settled));
      await start(ledger, acquire.leaseId, started);
      await receive(ledger, createHint("/waiting"));
      await admitDue(ledger, run);
      return { ...run, started };
    }

    it("wait again where the run was killed, and buy nothing twice", async () => {
      const ledger = await open();
      const { runId, started } = await workHalf(ledger);
      await assertSound(ledger);
      const now = NOON + 2 * LEASE_MS;
      const next = await beginWebhookRun(ledger, { now });
      expect(next.runId).toBe(runId);
      expect(await readWork(ledger)).toMatchObject({ waiting: 3, entered: 0 });
      await assertSound(ledger);
      await ledger.settlePurchase(toSettlement(started, { now }));
      await ledger.finishAcquireBatch((await openAcquire(ledger, { runId, now })).leaseId);
      expect(await admitDue(ledger, next, now)).toMatchObject({ entered: 2, unchanged: 1 });
      await assertSound(ledger);
      await buyAdmitted(ledger, next, { now });
      const last = await beginWebhookRun(ledger, { now });
      await admitDue(ledger, last, now);
      await buyAdmitted(ledger, last, { now });
      expect(await readWork(ledger)).toBeUndefined();
      expect(await countSettled(ledger)).toBe(4);
      await assertSound(ledger);
    });

    it.each(["interrupted", "failed"] as const)("wait again where the run is %s", async (state) => {
      const ledger = await open();
      const run = await workHalf(ledger);
      await ledger.endRun({ runId: run.runId, state, reason: null, now: NOON, process: run.process });
      expect(await readWork(ledger)).toMatchObject({ waiting: 3, entered: 0, nextAt: NOON });
      await assertSound(ledger);
      const next = await beginWebhookRun(ledger);
      expect(next.runId).toBe(run.runId);
    });

    it("wait again where another run takes over, and the run of the day goes on afterwards", async () => {
      const ledger = await open();
      const run = await workHalf(ledger);
      const now = NOON + 2 * LEASE_MS;
      const fresh = await begin(ledger, { which: { kind: "interrupted" }, process: "here:9:z", now });
      expect(fresh).toMatchObject({
        kind: "begun",
        resumed: false,
        spec: { kind: "walk" },
        takenOver: [{ runId: run.runId, started: 1 }],
      });
      expect(await readWork(ledger)).toMatchObject({ waiting: 3, entered: 0 });
      await assertSound(ledger);
      const end = { reason: null, now, process: "here:9:z" };
      await ledger.endRun({ ...end, runId: run.runId, state: "interrupted" });
      await ledger.endRun({ ...end, runId: "run_new", state: "cancelled" });
      await assertSound(ledger);
      const next = await beginWebhookRun(ledger, { now });
      expect(next.runId).toBe(run.runId);
      // The purchase that nobody answered is in doubt, so its page is denied while a person has not said what became of it.
      expect(await admitDue(ledger, next, now)).toMatchObject({ entered: 3 });
      await assertSound(ledger);
    });

    it("wait for the next day where a person cancelled the run", async () => {
      const ledger = await open();
      const run = await workHalf(ledger);
      const cancelling = { process: "here:8:c", now: NOON, aliveMs: LEASE_MS, gone: [] };
      await ledger.cancelRun({ ...cancelling, runId: run.runId });
      await ledger.endRun({ runId: run.runId, state: "cancelled", reason: null, now: NOON, process: "here:8:c" });
      expect(await readWork(ledger)).toMatchObject({ entered: 0, waiting: 3 });
      await expect(beginWebhookRun(ledger)).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
      const next = await beginWebhookRun(ledger, { now: MIDNIGHT });
      expect(next.runId).not.toBe(run.runId);
      expect(await admitDue(ledger, next, MIDNIGHT)).toMatchObject({ entered: 3 });
      await assertSound(ledger);
    });

    it("do not wait for an instant that a clock set which was ahead", async () => {
      const ledger = await open();
      await receive(ledger, createHint("/a"), createHint("/b"));
      const ahead = NOON + 400 * 24 * HOUR;
      const run = await beginWebhookRun(ledger, { now: ahead });
      await admitDue(ledger, run, ahead);
      await buyAdmitted(ledger, run, { now: ahead, budgets: [toBudget(10_000)] });
      expect(await readWork(ledger)).toMatchObject({ waiting: 1 });
      const due = (now: number) => ledger.listDueHints({ host: HOST, now, limit: 10 });
      expect(await due(ahead)).toEqual([]);
      expect(await due(NOON)).toHaveLength(1);
    });

    it("wait at most until midnight where a budget is used up", async () => {
      const ledger = await open();
      await receive(ledger, createHint("/a"), createHint("/b"));
      const late = MIDNIGHT - 60_000;
      const run = await beginWebhookRun(ledger, { now: late });
      await admitDue(ledger, run, late);
      await buyAdmitted(ledger, run, { now: late, budgets: [toBudget(10_000, { period: "day" })] });
      expect(await readWork(ledger)).toMatchObject({ waiting: 1, nextAt: MIDNIGHT });
      await assertSound(ledger);
    });
  });

  describe("an interrupted crawl", () => {
    it("is not taken over by a webhook run, and a crawl resumes no webhook run", async () => {
      const ledger = await open();
      await ledger.createRun(toSpec());
      await walkPage(ledger, { entries: [toEntry("/a")], nextPageToken: "more" });
      await ledger.endRun({ runId: "run_1", state: "interrupted", reason: null, now: NOON });
      await receive(ledger, createHint("/b"));
      const webhook = await begin(ledger, {
        which: { kind: "webhook", key: webhookRunKey(HOST, NOON) },
        trigger: "webhook",
        process: "here:1:w",
        runId: "run_hook",
      });
      expect(webhook).toMatchObject({ kind: "begun", resumed: false, spec: { kind: "webhook" }, takenOver: [] });
      await ledger.endRun({ runId: "run_hook", state: "interrupted", reason: null, now: NOON });
      const resumed = await begin(ledger, { which: { kind: "interrupted" }, process: "here:2:b" });
      expect(resumed).toMatchObject({ kind: "begun", resumed: true, spec: { runId: "run_1" }, takenOver: [] });
      await assertSound(ledger);
    });
  });
}
