import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { RunsQuery } from "../../src/ledger/run-reports.ts";
import {
  buyPages,
  LEASE_MS,
  NOON,
  ON_DEMAND,
  reservePages,
  type Shopping,
  startPages,
} from "../doubles/ledger-shop.ts";
import { begin, HOST, reserve, resumeRun } from "../doubles/ledger-steps.ts";

const LATER = NOON + LEASE_MS;
const OTHER_HOST = "shop.example";
const FULL_USE = { ...ON_DEMAND, licenseType: "ON_DEMAND_FULL_USE_LICENSE", cuid: "cuid-full" } as const;

function readRuns(ledger: Ledger, query: Partial<RunsQuery> = {}) {
  const all = { limit: 10, runId: null, host: null, state: null, now: LATER, aliveMs: LEASE_MS, gone: [] };
  return ledger.readRuns({ ...all, ...query });
}

function readPurchases(ledger: Ledger, query: Partial<Parameters<Ledger["readRunPurchases"]>[0]> = {}) {
  const all = { runId: "run_1", host: null, license: null, state: null, afterPurchaseId: 0, limit: 100 };
  return ledger.readRunPurchases({ ...all, ...query });
}

function denyAll(reason: "no_rule_matched" | "not_licensable"): NonNullable<Shopping["judge"]> {
  return ({ pageId }) => ({
    pageId,
    listing: null,
    verdict: { kind: "denied", ruleIndex: null, reason, detail: null },
  });
}

/** One page, whose answer never came. */
async function leaveInDoubt(ledger: Ledger): Promise<void> {
  const [doubt] = await startPages(ledger, { paths: ["/doubt"] });
  await ledger.holdInDoubt({ purchaseId: doubt?.purchaseId ?? 0, reason: "token_spent", detail: "401", now: NOON });
}

export function describeRunReports(open: () => Promise<Ledger>): void {
  describe("readRuns", () => {
    it("lists runs, the newest first, with what each cost, what started it and why it ended", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"], feeMicros: 250 });
      await begin(ledger, { which: { kind: "fresh" }, runId: "run_2" });
      await ledger.endRun({ runId: "run_2", state: "interrupted", reason: "SIGINT", now: LATER });
      expect(await readRuns(ledger)).toEqual({
        total: 2,
        next: null,
        runs: [
          {
            runId: "run_2",
            kind: "walk",
            state: "interrupted",
            trigger: "manual",
            reason: "SIGINT",
            startedAt: NOON,
            endedAt: LATER,
            hosts: [HOST],
            process: null,
            isAlive: false,
            died: null,
            takenOverBy: null,
            pagesBought: 0,
            pagesInDoubt: 0,
            spend: {},
          },
          expect.objectContaining({
            runId: "run_1",
            state: "completed",
            pagesBought: 2,
            spend: { USD: { settledMicros: 20_000, inDoubtMicros: 0, reservedMicros: 0, feeMicros: 500 } },
          }),
        ],
      });
      expect(await readRuns(ledger, { limit: 1 })).toMatchObject({
        total: 2,
        next: expect.any(Number),
        runs: [{ runId: "run_2" }],
      });
      expect(await readRuns(ledger, { runId: "run_1" })).toMatchObject({ total: 1, runs: [{ runId: "run_1" }] });
      expect(await readRuns(ledger, { runId: "run_9" })).toEqual({ total: 0, next: null, runs: [] });
    });

    it("says of a run whose process died when it last gave a sign of life, and which process it was", async () => {
      const ledger = await open();
      await begin(ledger, { which: { kind: "fresh" }, runId: "run_1" });
      expect(await readRuns(ledger, { now: NOON + 1 })).toMatchObject({
        runs: [{ isAlive: true, died: null, process: "here:1:a" }],
      });
      const gone = { now: NOON + 1, gone: ["here:1:a"] };
      const died = { isAlive: false, died: { lastSeenAt: NOON, process: "here:1:a" } };
      expect(await readRuns(ledger, gone)).toMatchObject({ runs: [died] });
      expect(await readRuns(ledger)).toMatchObject({ runs: [{ ...died, state: "running", takenOverBy: null }] });
    });

    it("still says it after a new run took it over, also when the process that did so died too", async () => {
      const ledger = await open();
      await begin(ledger, { which: { kind: "fresh" }, runId: "run_1" });
      await reserve(ledger, ["/a"], {}, { runId: "run_1" });
      await begin(ledger, { which: { kind: "interrupted" }, runId: "run_2", process: "here:2:b", now: LATER });
      const third = { process: "here:3:c", now: LATER + 1, gone: ["here:2:b"] };
      await begin(ledger, { which: { kind: "interrupted" }, runId: "run_3", ...third });
      expect((await readRuns(ledger, { now: LATER + 2 })).runs).toMatchObject([
        { runId: "run_3", isAlive: true, died: null },
        { runId: "run_2", state: "interrupted", takenOverBy: "run_3", died: { process: "here:2:b" } },
        { runId: "run_1", takenOverBy: "run_2", died: { lastSeenAt: NOON, process: "here:1:a" } },
      ]);
      expect(await ledger.audit({ budgets: [], now: LATER })).toMatchObject({ violations: [] });
    });

    it("does not call a run dead that was continued afterwards and ended", async () => {
      const ledger = await open();
      await begin(ledger, { which: { kind: "fresh" }, runId: "run_1" });
      const named = { kind: "named", runId: "run_1" } as const;
      await begin(ledger, { which: named, process: "here:2:b", now: LATER });
      await ledger.endRun({ runId: "run_1", state: "cancelled", reason: null, now: LATER });
      expect((await readRuns(ledger)).runs).toMatchObject([{ state: "cancelled", died: null }]);
      expect(await ledger.audit({ budgets: [], now: LATER })).toMatchObject({ violations: [] });
    });

    it("takes only runs of a site, or in a state; a run that died is in no other state", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", host: OTHER_HOST });
      await buyPages(ledger, { runId: "run_2" });
      await begin(ledger, { which: { kind: "fresh" }, runId: "run_3" });
      const find = async (query: Partial<RunsQuery>) => {
        const { runs, total } = await readRuns(ledger, query);
        expect(total).toBe(runs.length);
        return runs.map(({ runId }) => runId);
      };
      expect(await find({ host: OTHER_HOST })).toEqual(["run_1"]);
      expect(await find({ host: "never.example" })).toEqual([]);
      expect(await find({ state: "completed", host: HOST })).toEqual(["run_2"]);
      expect(await find({ state: "running", now: NOON })).toEqual(["run_3"]);
      expect(await find({ state: "died", now: NOON })).toEqual([]);
      expect(await find({ state: "running" })).toEqual([]);
      expect(await find({ state: "died" })).toEqual(["run_3"]);
    });
  });

  describe("readRunPurchases", () => {
    it("returns what one run bought, in the order of its decisions, in pieces", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_0", paths: ["/before"] });
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"], feeMicros: 250 });
      await buyPages(ledger, { runId: "run_2", paths: ["/after"] });
      const all = await readPurchases(ledger);
      expect(all).toMatchObject([{ url: `https://${HOST}/a` }, { url: `https://${HOST}/b` }]);
      expect(all[0]).toEqual({
        purchaseId: 2,
        url: `https://${HOST}/a`,
        host: HOST,
        state: "settled",
        license: ON_DEMAND,
        quotedMicros: 10_000,
        chargedMicros: 10_000,
        feeMicros: 250,
        currency: "USD",
        reason: null,
        detail: null,
        reservedAt: NOON,
        endedAt: NOON,
      });
      const [first] = await readPurchases(ledger, { limit: 1 });
      expect(first).toEqual(all[0]);
      expect(await readPurchases(ledger, { afterPurchaseId: first?.purchaseId ?? 0 })).toEqual(all.slice(1));
    });

    it("finds what a continued run bought after another run had bought in between", async () => {
      const ledger = await open();
      await begin(ledger, { which: { kind: "fresh" }, runId: "run_1" });
      await reserve(ledger, ["/a"], {}, { runId: "run_1" });
      await ledger.endRun({ runId: "run_1", state: "interrupted", reason: null, now: NOON });
      await buyPages(ledger, { runId: "run_2", host: OTHER_HOST });
      await resumeRun(ledger);
      await reservePages(ledger, { runId: "run_3", host: OTHER_HOST, paths: ["/z"] });
      const { runs } = await readRuns(ledger, { now: NOON });
      expect(runs.map(({ runId }) => runId)).toEqual(["run_3", "run_2", "run_1"]);
      expect(await readPurchases(ledger)).toMatchObject([{ state: "released", reason: "decided_anew" }]);
    });

    it("takes only a site, a license by type or cuid, or a state", async () => {
      const ledger = await open();
      await leaveInDoubt(ledger);
      await buyPages(ledger, { runId: "run_2", paths: ["/full"], license: FULL_USE });
      const find = async (query: Parameters<typeof readPurchases>[1]) =>
        (await readPurchases(ledger, query)).map(({ url }) => new URL(url).pathname);
      expect(await find({ state: "in_doubt" })).toEqual(["/doubt"]);
      expect(await find({ state: "settled" })).toEqual([]);
      expect(await find({ host: OTHER_HOST })).toEqual([]);
      expect(await find({ runId: "run_2", license: FULL_USE.licenseType })).toEqual(["/full"]);
      expect(await find({ runId: "run_2", license: FULL_USE.cuid, host: HOST })).toEqual(["/full"]);
      expect(await find({ runId: "run_2", license: ON_DEMAND.licenseType })).toEqual([]);
    });

    it("throws RUN_NOT_FOUND for an unknown run", async () => {
      const ledger = await open();
      const unknown = { code: "RUN_NOT_FOUND" };
      await expect(readPurchases(ledger)).rejects.toMatchObject(unknown);
      await expect(ledger.readPurchaseGroups({ runId: "run_1" })).rejects.toMatchObject(unknown);
      const denied = ledger.readDeniedPages({ runId: "run_1", host: null, limit: 1 });
      await expect(denied).rejects.toMatchObject(unknown);
    });
  });

  describe("readPurchaseGroups", () => {
    it("adds up purchases by site, license, state and currency, as the balances count them", async () => {
      const ledger = await open();
      await leaveInDoubt(ledger);
      await buyPages(ledger, { runId: "run_2", paths: ["/a", "/b"], feeMicros: 250 });
      const nothing = { settledMicros: 0, inDoubtMicros: 0, reservedMicros: 0, feeMicros: 0 };
      const group = { host: HOST, licenseType: ON_DEMAND.licenseType, cuid: ON_DEMAND.cuid, currency: "USD" };
      expect(await ledger.readPurchaseGroups({ runId: "run_1" })).toEqual([
        { ...group, state: "in_doubt", purchases: 1, spend: { ...nothing, inDoubtMicros: 10_000 } },
      ]);
      expect(await ledger.readPurchaseGroups({ runId: "run_2" })).toEqual([
        { ...group, state: "settled", purchases: 2, spend: { ...nothing, settledMicros: 20_000, feeMicros: 500 } },
      ]);
    });
  });

  describe("readDeniedPages", () => {
    it("returns the pages that a run denied, with their reasons, and those of no other run", async () => {
      const ledger = await open();
      await reservePages(ledger, { runId: "run_1", paths: ["/a", "/b"], judge: denyAll("no_rule_matched") });
      await reservePages(ledger, { runId: "run_2", paths: ["/a"], judge: denyAll("not_licensable") });
      const read = (limit: number, host: string | null = null) =>
        ledger.readDeniedPages({ runId: "run_1", host, limit });
      const first = {
        url: `https://${HOST}/a`,
        host: HOST,
        reason: "no_rule_matched",
        detail: null,
        policyName: expect.any(String),
        ruleIndex: null,
        at: NOON,
      };
      expect(await read(1)).toEqual({ denied: [first], total: 2 });
      expect(await read(9, HOST)).toMatchObject({ denied: [first, { url: `https://${HOST}/b` }], total: 2 });
      expect(await read(9, OTHER_HOST)).toEqual({ denied: [], total: 0 });
    });

    it("keep the configurations that they had, each text once", async () => {
      const ledger = await open();
      const going = { kind: "named", runId: "run_1" } as const;
      const fresh = { which: { kind: "fresh" } as const, runId: "run_1" };
      const steps = [
        { ...fresh, configuration: '{"order":"catalog"}', now: NOON },
        { which: going, configuration: '{"order":"catalog"}', now: NOON + 1 },
        { which: going, configuration: '{"order":"newest"}', now: NOON + 2 },
      ];
      for (const [place, step] of steps.entries()) {
        await begin(ledger, { process: `here:${place}:a`, ...step });
        await ledger.endRun({ runId: "run_1", state: "interrupted", reason: null, now: step.now });
      }
      const kept = await ledger.readConfigurations({ runId: "run_1" });
      expect(kept.map(({ since, text }) => [since, text])).toEqual([
        [NOON, '{"order":"catalog"}'],
        [NOON + 2, '{"order":"newest"}'],
      ]);
      expect(kept[0]?.digest).toBe(hash("sha256", '{"order":"catalog"}'));
      await begin(ledger, {
        process: "here:9:a",
        which: { kind: "fresh" },
        runId: "run_2",
        configuration: '{"order":"catalog"}',
      });
      expect((await ledger.readConfigurations({ runId: "run_2" }))[0]?.digest).toBe(kept[0]?.digest);
      await expect(ledger.readConfigurations({ runId: "run_9" })).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    });

    it("are named with the saved plan that they buy from, the newest first, and who approved it", async () => {
      const ledger = await open();
      const planOf = (digest: string) => ({ createdAt: NOON, digest, basis: null });
      const [may, june] = [hash("sha256", "may"), hash("sha256", "june")];
      const steps = [
        { runId: "run_1", digest: may, who: { by: "anna", reason: "the pages of May" } },
        { runId: "run_2", digest: june },
        { runId: "run_3", digest: may },
      ];
      for (const [place, { runId, digest, ...who }] of steps.entries()) {
        const which = { kind: "list", source: "plan", path: `/${runId}.jsonl`, plan: planOf(digest) } as const;
        await begin(ledger, { process: `here:${place}:a`, runId, which, now: NOON + place, ...who });
        await ledger.endRun({ runId, state: "completed", reason: null, now: NOON + place });
      }
      const nobody = { state: "completed", approvedAt: null, approvedBy: null, reason: null };
      expect(await ledger.readPlanRuns({ digests: [may, hash("sha256", "july")], limit: 9 })).toEqual([
        { digest: may, runId: "run_3", ...nobody },
        { ...nobody, digest: may, runId: "run_1", approvedAt: NOON, approvedBy: "anna", reason: "the pages of May" },
      ]);
      expect(await ledger.readPlanRuns({ digests: [may, june], limit: 2 })).toMatchObject([
        { runId: "run_3" },
        { runId: "run_2" },
      ]);
      expect(await ledger.readPlanRuns({ digests: [], limit: 9 })).toEqual([]);
    });
  });
}
