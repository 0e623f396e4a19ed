import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { BeginRun, Begun, UnfinishedRun } from "../../src/ledger/run-ledger.ts";
import { whatBecomes } from "../../src/run/what-becomes.ts";
import { LEASE_MS, NOON } from "../doubles/ledger-shop.ts";
import {
  begin,
  HOST,
  leaseMany,
  openAcquire,
  RUN,
  readTotal,
  reserve,
  start,
  toSettlement,
  toSite,
  toSpec,
} from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const FRESH = { which: { kind: "fresh" } } as const;
const PLAIN = { which: { kind: "interrupted" } } as const;
/** After every process and lease of NOON has expired. */
const LATER = NOON + LEASE_MS;

const OTHER_SITE = { ...toSite(), host: "other.example" };
const THIRD_SITE = { ...toSite(), host: "third.example" };

/** A run owned by `here:1:a`: one page bought, one started, one reserved, one waiting in the catalog. */
async function beginAndDie(ledger: Ledger, request: Partial<BeginRun> = {}): Promise<void> {
  await begin(ledger, { ...FRESH, runId: RUN, ...request });
  await reserve(ledger, ["/bought", "/started", "/reserved"], {}, { runId: RUN });
  const { leaseId, purchases } = await openAcquire(ledger);
  await start(ledger, leaseId, purchases[0]?.purchaseId ?? 0);
  await ledger.settlePurchase(toSettlement(purchases[0]?.purchaseId ?? 0));
  await start(ledger, leaseId, purchases[1]?.purchaseId ?? 0);
}

async function expectCleanAudit(ledger: Ledger, now = LATER): Promise<void> {
  expect(await ledger.audit({ budgets: [], now })).toMatchObject({ violations: [] });
}

function begunOf(result: Begun): Extract<Begun, { kind: "begun" }> {
  if (result.kind === "alive") {
    throw new Error(`run ${result.runId} is alive`);
  }
  return result;
}

export function describeBeginnings(open: OpenLedger): void {
  describe("a run whose clock is before the newest rows", () => {
    const AHEAD = NOON + 40 * 86_400_000;
    const behind = { ...FRESH, process: "here:2:b", runId: "run_behind", sites: [OTHER_SITE] } as const;

    async function writeAhead(): Promise<Ledger> {
      const ledger = await open();
      await begin(ledger, { ...FRESH, runId: RUN, now: AHEAD });
      return ledger;
    }

    it.each([[["day"]], [["total"]]] as const)(
      "does not begin under budgets per %s, and leaves no row",
      async (periods) => {
        const ledger = await writeAhead();
        await expect(begin(ledger, { ...behind, periods })).rejects.toMatchObject({ code: "CLOCK_BEHIND" });
        expect(await ledger.readLatestInstant()).toBe(AHEAD);
        await expect(ledger.readRun("run_behind")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
        expect(await begin(ledger, { ...behind, now: AHEAD - 1, periods })).toMatchObject({ kind: "begun" });
      },
    );

    it("begins where nothing is compared, and in the same periods", async () => {
      const ledger = await writeAhead();
      expect(await begin(ledger, behind)).toMatchObject({ kind: "begun" });
      const next = { process: "here:3:c", runId: "run_next", now: NOON + 1, sites: [THIRD_SITE] };
      expect(await begin(ledger, { ...behind, ...next, periods: ["month"] })).toMatchObject({ kind: "begun" });
    });
  });

  describe("a run that is alive", () => {
    it("lets no other process begin a run of one of its sites, and lets one of other sites begin", async () => {
      const ledger = await open();
      await begin(ledger, { ...FRESH, runId: RUN });
      const other = { process: "here:2:b", now: LATER - 1 } as const;
      for (const which of [FRESH, PLAIN, { which: { kind: "newest" } }, { which: { kind: "named", runId: RUN } }]) {
        expect(await begin(ledger, { ...other, ...which } as Partial<BeginRun>)).toEqual({
          kind: "alive",
          runId: RUN,
          process: "here:1:a",
          hosts: [HOST],
        });
      }
      const apart = await begin(ledger, { ...other, ...FRESH, sites: [toSite({ host: "shop.example" })] });
      expect(apart).toMatchObject({ kind: "begun", takenOver: [] });
      await expectCleanAudit(ledger);
    });

    it("is alive until its process was silent for too long, or for as long as one of its leases lasts", async () => {
      const ledger = await open();
      await begin(ledger, { ...FRESH, runId: RUN });
      expect(await ledger.renewRun({ runId: RUN, process: "here:1:a", aliveUntil: LATER + 1 })).toBe(true);
      expect(await begin(ledger, { ...FRESH, process: "b", now: LATER })).toMatchObject({ kind: "alive" });
      await leaseMany(ledger, { now: LATER });
      expect(await begin(ledger, { ...FRESH, process: "b", now: LATER + 1 })).toMatchObject({ kind: "alive" });
      expect(await begin(ledger, { ...FRESH, process: "b", now: LATER + LEASE_MS })).toMatchObject({ kind: "begun" });
    });

    it("is left for a person when its process died after a person had stopped it", async () => {
      const ledger = await open();
      await beginAndDie(ledger);
      const renewal = { runId: RUN, process: "here:1:a", aliveUntil: LATER } as const;
      expect(await ledger.renewRun({ ...renewal, stopped: { endedBy: "person", who: null, at: NOON } })).toBe(true);
      // The first word stays: a service that stops afterwards ends what is stopped.
      expect(await ledger.renewRun({ ...renewal, stopped: { endedBy: "service", who: null, at: NOON } })).toBe(true);
      const query = { now: LATER, aliveMs: LEASE_MS, gone: ["here:1:a"] };
      const [run] = await ledger.listUnfinished(query);
      expect(run).toMatchObject({ state: "running", endedBy: "person", isAlive: false });
      const asker = { by: "service", configured: [HOST] } as const;
      expect(whatBecomes(run as UnfinishedRun, asker)).toEqual({ what: "freed" });
    });

    it("is dead at once when its process is known to have ended", async () => {
      const ledger = await open();
      await beginAndDie(ledger);
      const result = await begin(ledger, { ...FRESH, process: "here:2:b", gone: ["here:1:a"] });
      expect(result).toMatchObject({ kind: "begun", takenOver: [{ runId: RUN }] });
    });

    it("is not considered alive for longer than possible: a clock that was set back had written that", async () => {
      const ledger = await open();
      await begin(ledger, { ...FRESH, runId: RUN, now: NOON });
      await leaseMany(ledger);
      const hourBefore = NOON - 3_600_000;
      expect(await begin(ledger, { ...FRESH, process: "b", now: hourBefore })).toMatchObject({ kind: "begun" });
    });

    it("begins once of two calls at once, and a repeated call finds the run that it began", async () => {
      const ledger = await open();
      const results = await Promise.all(
        ["a", "b"].map((process) => begin(ledger, { ...PLAIN, process, runId: `run_${process}` })),
      );
      expect(results.map(({ kind }) => kind).sort()).toEqual(["alive", "begun"]);
      const again = await begin(ledger, { ...PLAIN, process: "a", runId: "run_a" });
      expect(again).toMatchObject({ kind: "begun", spec: { runId: "run_a" }, resumed: false });
    });

    it("gives no leases to its former process", async () => {
      const ledger = await open();
      await beginAndDie(ledger);
      await begin(ledger, { process: "here:2:b", now: LATER });
      expect(await ledger.renewRun({ runId: RUN, process: "here:1:a", aliveUntil: LATER * 2 })).toBe(false);
      expect(await leaseMany(ledger, { process: "here:1:a", now: LATER })).toEqual([]);
      const theirs = { runId: RUN, process: "here:1:a" } as const;
      expect(await ledger.readProgress({ ...theirs, now: LATER })).toMatchObject({ isRunning: false });
      await ledger.endRun({ ...theirs, state: "interrupted", reason: null, now: LATER });
      expect(await ledger.readRun(RUN)).toMatchObject({ state: "running" });
      expect(await leaseMany(ledger, { process: "here:2:b", now: LATER })).not.toEqual([]);
    });
  });

  describe("a run that died", () => {
    it("is taken over by a new run: its reservations are released, its started purchases can be probed, and then it is over", async () => {
      const ledger = await open();
      await beginAndDie(ledger);
      const { takenOver, resumed, spec } = begunOf(
        await begin(ledger, { ...PLAIN, process: "here:2:b", now: LATER, runId: "run_2" }),
      );
      expect({ takenOver, resumed, runId: spec.runId }).toEqual({
        takenOver: [{ runId: RUN, state: "running", released: 1, started: 1, isResumable: false }],
        resumed: false,
        runId: "run_2",
      });
      expect(await readTotal(ledger)).toEqual({ spentMicros: 10_000, inDoubtMicros: 0, reservedMicros: 10_000 });
      await expectCleanAudit(ledger);
      const { leaseId, purchases } = await openAcquire(ledger, { now: LATER, process: "here:2:b" });
      expect(purchases).toMatchObject([{ state: "started", url: `https://${HOST}/started` }]);
      await ledger.settlePurchase(toSettlement(purchases[0]?.purchaseId ?? 0));
      await ledger.finishAcquireBatch(leaseId);
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: "run_2", now: LATER, process: "here:2:b" });
      expect(await ledger.readRun(RUN)).toMatchObject({ state: "interrupted", pages: { bought: 2, failed: 0 } });
      await expect(begin(ledger, { process: "c", now: LATER * 2 })).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
      await expectCleanAudit(ledger);
    });

    it("is taken over again when the run that took it over died too", async () => {
      const ledger = await open();
      await beginAndDie(ledger);
      await begin(ledger, { ...PLAIN, process: "here:2:b", now: LATER, runId: "run_2" });
      const third = await begin(ledger, {
        ...PLAIN,
        process: "here:3:c",
        gone: ["here:2:b"],
        now: LATER,
        runId: "run_3",
      });
      expect(begunOf(third).takenOver).toEqual([
        { runId: RUN, state: "running", released: 0, started: 1, isResumable: false },
        { runId: "run_2", state: "running", released: 0, started: 0, isResumable: false },
      ]);
      await expectCleanAudit(ledger);
    });

    it("is taken over by a run of other sites too, since its reservations count against every budget", async () => {
      const ledger = await open();
      await beginAndDie(ledger);
      const sites = [toSite({ host: "shop.example" })];
      const result = await begin(ledger, { ...PLAIN, process: "b", now: LATER, runId: "run_2", sites });
      expect(begunOf(result).takenOver).toMatchObject([{ runId: RUN, released: 1 }]);
    });

    it("says whether a service worked on it last", async () => {
      const ledger = await open();
      const query = { now: LATER, aliveMs: LEASE_MS, gone: [] };
      await begin(ledger, { ...PLAIN, runId: RUN, inService: true });
      expect(await ledger.listUnfinished(query)).toMatchObject([{ runId: RUN, inService: true }]);
      const which = { kind: "named", runId: RUN } as const;
      await begin(ledger, { ...PLAIN, which, process: "b", now: LATER });
      expect(await ledger.listUnfinished(query)).toMatchObject([{ runId: RUN, inService: false }]);
    });

    it("is listed with its reserved money", async () => {
      const ledger = await open();
      await beginAndDie(ledger);
      expect(await ledger.listUnfinished({ now: LATER, aliveMs: LEASE_MS, gone: [] })).toEqual([
        {
          runId: RUN,
          kind: "walk",
          state: "running",
          endedBy: "nobody",
          isTakenOver: false,
          limits: { maxPages: null, maxSpend: null },
          startedAt: NOON,
          hosts: [HOST],
          process: "here:1:a",
          trigger: "manual",
          inService: false,
          isAlive: false,
          lastSeenAt: NOON,
          reserved: 1,
          started: 1,
          setAsideMicros: { USD: 20_000 },
        },
      ]);
    });
  });

  describe("a run that was interrupted", () => {
    const interrupt = (ledger: Ledger) =>
      ledger.endRun({ runId: RUN, state: "interrupted", reason: "SIGINT", now: NOON, process: "here:1:a" });

    it("has no reservation, and continues by itself where the sites are the same", async () => {
      const ledger = await open();
      await beginAndDie(ledger);
      await interrupt(ledger);
      expect(await readTotal(ledger)).toMatchObject({ reservedMicros: 10_000 });
      await expectCleanAudit(ledger);
      const sites = [toSite(), toSite({ host: "shop.example" })];
      expect(await begin(ledger, { ...PLAIN, process: "b", now: NOON })).toMatchObject({
        resumed: true,
        spec: { runId: RUN },
        takenOver: [],
      });
      await interrupt(ledger);
      await ledger.endRun({ runId: RUN, state: "interrupted", reason: "SIGINT", now: NOON, process: "b" });
      const wider = await begin(ledger, { ...PLAIN, process: "c", runId: "run_2", sites });
      expect(wider).toMatchObject({ resumed: false, takenOver: [{ runId: RUN, state: "interrupted" }] });
      await expectCleanAudit(ledger);
    });

    it("is not changed by a fresh run of other sites, and is taken over by one of its own", async () => {
      const ledger = await open();
      await begin(ledger, { ...FRESH, runId: RUN });
      await interrupt(ledger);
      const apart = { sites: [toSite({ host: "shop.example" })], runId: "run_2", process: "b" };
      expect(await begin(ledger, { ...FRESH, ...apart })).toMatchObject({ takenOver: [] });
      expect(await begin(ledger, { ...FRESH, runId: "run_3", process: "c" })).toMatchObject({
        takenOver: [{ runId: RUN, released: 0, started: 0 }],
      });
    });
  });

  describe("cancelling a run", () => {
    const cancel = (ledger: Ledger, now = LATER, gone: readonly string[] = []) =>
      ledger.cancelRun({ runId: RUN, process: "here:9:z", now, aliveMs: LEASE_MS, gone });

    it("releases what is reserved and leaves what is started to be probed; after that the run can never continue", async () => {
      const ledger = await open();
      await beginAndDie(ledger);
      expect(await cancel(ledger)).toEqual({ ended: false, released: 1, started: 1 });
      await expectCleanAudit(ledger);
      const { purchases } = await openAcquire(ledger, { now: LATER, stages: { acquire: 100 }, process: "here:9:z" });
      await ledger.settlePurchase(toSettlement(purchases[0]?.purchaseId ?? 0));
      expect(await cancel(ledger)).toEqual({ ended: true, released: 0, started: 0 });
      expect(await ledger.readRun(RUN)).toMatchObject({ state: "cancelled", pages: { bought: 2, failed: 0 } });
      expect(await readTotal(ledger)).toEqual({ spentMicros: 20_000, inDoubtMicros: 0, reservedMicros: 0 });
      await expect(begin(ledger)).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
      expect(await cancel(ledger)).toEqual({ ended: true, released: 0, started: 0 });
      await expectCleanAudit(ledger);
    });

    it("ends a run at once that has nothing started, also one that another process takes afterwards", async () => {
      const ledger = await open();
      await begin(ledger, { ...FRESH, runId: RUN });
      await reserve(ledger, ["/reserved"], {}, { runId: RUN });
      expect(await cancel(ledger, NOON)).toEqual({ ended: true, released: 1, started: 0 });
      expect(await ledger.readRun(RUN)).toMatchObject({ state: "cancelled", reason: "it was cancelled" });
      expect(await ledger.renewRun({ runId: RUN, process: "here:1:a", aliveUntil: LATER })).toBe(false);
      const asker = { by: "service", configured: [HOST] } as const;
      const freeing = { process: "here:3:c", now: LATER, aliveMs: LEASE_MS, gone: ["here:9:z"] };
      expect(await ledger.freeRun({ ...freeing, runId: RUN, asker })).toBeNull();
      expect(await cancel(ledger)).toEqual({ ended: true, released: 0, started: 0 });
      await expectCleanAudit(ledger);
    });

    it("takes it from a process that works on it; the process keeps its started pages as long as its lease lasts", async () => {
      const ledger = await open();
      await beginAndDie(ledger);
      expect(await cancel(ledger, NOON)).toEqual({ ended: false, released: 1, started: 1 });
      expect(await leaseMany(ledger, { process: "here:1:a" })).toEqual([]);
      expect(await leaseMany(ledger, { process: "here:9:z", stages: { acquire: 100 } })).toEqual([]);
      const mine = { process: "here:9:z", stages: { acquire: 100 }, now: LATER } as const;
      expect(await leaseMany(ledger, mine)).toMatchObject([{ stage: "acquire" }]);
    });

    it("ends one that a limit had ended, and refuses one that is complete or unknown", async () => {
      const ledger = await open();
      await begin(ledger, { ...FRESH, runId: RUN });
      await ledger.endRun({ runId: RUN, state: "max_spend", reason: null, now: NOON });
      expect(await cancel(ledger)).toMatchObject({ ended: true });
      expect(await ledger.readRun(RUN)).toMatchObject({ state: "cancelled" });
      await ledger.createRun(toSpec({ runId: "run_2" }));
      await ledger.endRun({ runId: "run_2", state: "completed", reason: null, now: NOON });
      for (const runId of ["run_2", "run_0"]) {
        const refused = ledger.cancelRun({ runId, process: "z", now: NOON, aliveMs: LEASE_MS, gone: [] });
        await expect(refused).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
      }
    });
  });
}
