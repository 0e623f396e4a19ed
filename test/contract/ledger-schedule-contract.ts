import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { NOON } from "../doubles/ledger-shop.ts";
import { begin, toSite, toSpec } from "../doubles/ledger-steps.ts";

const SITE = "site:news.example";
const MINE = "a.example:1:x-1";
const OTHER = "b.example:2:y-1";
const HOUR_MS = 3_600_000;

const slot = (hours: number, process = MINE) => ({ schedule: SITE, slotAt: NOON + hours * HOUR_MS, process });

async function openWithSchedule(open: () => Promise<Ledger>): Promise<Ledger> {
  const ledger = await open();
  await ledger.setSchedules({ schedules: [{ name: SITE, timing: "0 * * * * UTC" }], now: NOON });
  return ledger;
}

/** What every ledger promises of slots. */
export function describeSchedules(open: () => Promise<Ledger>): void {
  describe("a schedule", () => {
    const owedAfter = (ledger: Ledger, now: number) => ledger.readOwedAfter({ schedule: SITE, now });

    it("is owed nothing from before it was configured, and keeps its beginning", async () => {
      const ledger = await openWithSchedule(open);
      expect(await ledger.readOwedAfter({ schedule: "site:other.example", now: NOON })).toBeNull();
      await ledger.setSchedules({ schedules: [{ name: SITE, timing: "0 * * * * UTC" }], now: NOON + HOUR_MS });
      expect(await owedAfter(ledger, NOON + HOUR_MS)).toBe(NOON);
    });

    it("begins anew with another timing, and after it was removed", async () => {
      const ledger = await openWithSchedule(open);
      await ledger.setSchedules({ schedules: [{ name: SITE, timing: "5 * * * * UTC" }], now: NOON + 1 });
      expect(await owedAfter(ledger, NOON + 1)).toBe(NOON + 1);
      await ledger.setSchedules({ schedules: [], now: NOON + 2 });
      expect(await owedAfter(ledger, NOON + 2)).toBeNull();
      await ledger.setSchedules({ schedules: [{ name: SITE, timing: "5 * * * * UTC" }], now: NOON + 3 });
      expect(await owedAfter(ledger, NOON + 3)).toBe(NOON + 3);
    });

    it("is owed nothing up to its newest row that has come", async () => {
      const ledger = await openWithSchedule(open);
      await ledger.claimSlot({ ...slot(1), now: NOON + HOUR_MS });
      expect(await owedAfter(ledger, NOON + HOUR_MS)).toBe(NOON + HOUR_MS);
      await ledger.missSlots({ ...slot(9), firstAt: slot(5).slotAt, slots: 5, detail: "no service", now: NOON });
      // The clock was set back before all of them, and into the middle of them.
      expect(await owedAfter(ledger, slot(4).slotAt)).toBe(slot(1).slotAt);
      expect(await owedAfter(ledger, slot(6).slotAt)).toBe(slot(1).slotAt);
      expect(await owedAfter(ledger, slot(9).slotAt)).toBe(slot(9).slotAt);
    });
  });

  describe("a slot", () => {
    it("is claimed once, by whoever asks first", async () => {
      const ledger = await openWithSchedule(open);
      const claims = await Promise.all(
        [MINE, OTHER, MINE].map((process) => ledger.claimSlot({ ...slot(1, process), now: NOON })),
      );
      expect(claims).toEqual([true, false, false]);
      expect(await ledger.claimSlot({ schedule: "report", slotAt: slot(1).slotAt, process: OTHER, now: NOON })).toBe(
        true,
      );
    });

    it("is claimed, started with its run, and ended once; repeated calls change nothing", async () => {
      const ledger = await openWithSchedule(open);
      await ledger.createRun(toSpec({ runId: "run_1", sites: [toSite()] }));
      await ledger.claimSlot({ ...slot(1), now: NOON });
      expect(await ledger.startSlot({ ...slot(1), runId: "run_1" })).toBe(true);
      expect(await ledger.startSlot({ ...slot(1), runId: "run_1" })).toBe(true);
      expect(await ledger.listOpenSlots()).toEqual([{ ...slot(1), state: "started", runId: "run_1", claimedAt: NOON }]);
      const end = { ...slot(1), state: "done", detail: null, now: NOON + 9 } as const;
      expect(await ledger.endSlot(end)).toBe(true);
      expect(await ledger.endSlot({ ...end, state: "failed", detail: "late" })).toBe(false);
      expect(await ledger.startSlot({ ...slot(1), runId: null })).toBe(false);
      expect(await ledger.listOpenSlots()).toEqual([]);
      expect(await ledger.readSlots({ schedule: SITE, limit: 5 })).toEqual([
        {
          schedule: SITE,
          slotAt: slot(1).slotAt,
          state: "done",
          detail: null,
          firstAt: slot(1).slotAt,
          slots: 1,
          claimedAt: NOON,
          endedAt: NOON + 9,
          run: { runId: "run_1", state: "running", pagesBought: 0, pagesInDoubt: 0, spend: {} },
        },
      ]);
    });

    it("is taken from a process that died, and what that process still says changes nothing", async () => {
      const ledger = await openWithSchedule(open);
      await ledger.claimSlot({ ...slot(1, OTHER), now: NOON });
      const take = { ...slot(1), from: OTHER };
      expect(await ledger.takeSlot(take)).toBe(true);
      expect(await ledger.takeSlot(take)).toBe(false);
      expect(await ledger.startSlot({ ...slot(1, OTHER), runId: null })).toBe(false);
      expect(await ledger.endSlot({ ...slot(1, OTHER), state: "done", detail: null, now: NOON })).toBe(false);
      expect(await ledger.endSlot({ ...slot(1), state: "done", detail: null, now: NOON })).toBe(true);
      expect(await ledger.takeSlot({ ...slot(1, OTHER), from: MINE })).toBe(false);
    });

    it("begins its run together with its row, and none for a process that has lost it", async () => {
      const ledger = await openWithSchedule(open);
      const beginFor = (process: string) =>
        begin(ledger, {
          which: { kind: "interrupted" },
          runId: "run_1",
          trigger: "schedule",
          process,
          slot: slot(1, process),
        });
      await ledger.claimSlot({ ...slot(1, OTHER), now: NOON });
      await ledger.takeSlot({ ...slot(1), from: OTHER });
      await expect(beginFor(OTHER)).rejects.toMatchObject({ code: "SERVICE_LOST" });
      expect(await ledger.hasRuns()).toBe(false);
      expect(await beginFor(MINE)).toMatchObject({ kind: "begun" });
      expect(await ledger.listOpenSlots()).toEqual([{ ...slot(1), state: "started", runId: "run_1", claimedAt: NOON }]);
      await ledger.endSlot({ ...slot(1), state: "refused", detail: "it was busy", now: NOON });
      await expect(beginFor(MINE)).rejects.toMatchObject({ code: "SERVICE_LOST" });
    });

    it("that was missed has a row that says how many, and cannot be claimed", async () => {
      const ledger = await openWithSchedule(open);
      const missed = { ...slot(3), firstAt: slot(1).slotAt, slots: 3, detail: "no service was running", now: NOON };
      expect(await ledger.missSlots(missed)).toBe(true);
      expect(await ledger.missSlots(missed)).toBe(false);
      expect(await ledger.claimSlot({ ...slot(3), now: NOON })).toBe(false);
      expect(await ledger.readSlots({ schedule: SITE, limit: 5 })).toMatchObject([
        { state: "missed", slots: 3, firstAt: slot(1).slotAt, detail: "no service was running", run: null },
      ]);
    });
  });

  describe("slots that a clock that was ahead has recorded", () => {
    const rowsOf = async (ledger: Ledger) =>
      (await ledger.readSlots({ schedule: SITE, limit: 9 })).map(
        ({ slotAt, firstAt, slots, state }) =>
          `${(firstAt - NOON) / HOUR_MS}-${(slotAt - NOON) / HOUR_MS} ×${slots} ${state}`,
      );
    const ahead = (ledger: Ledger, hours: number) => ledger.readSlotsAhead({ schedule: SITE, now: slot(hours).slotAt });

    it("are taken back where nothing was begun, and what has come of a row of missed slots stays", async () => {
      const ledger = await openWithSchedule(open);
      const missed = { detail: "nobody watched", now: NOON };
      await ledger.missSlots({ ...slot(5), firstAt: slot(2).slotAt, slots: 4, ...missed });
      await ledger.missSlots({ ...slot(8), firstAt: slot(7).slotAt, slots: 2, ...missed });
      await ledger.createRun(toSpec({ runId: "run_1", sites: [toSite()] }));
      for (const hours of [6, 9, 10]) {
        await ledger.claimSlot({ ...slot(hours), now: NOON });
      }
      await ledger.endSlot({ ...slot(9), state: "failed", detail: "no room", now: NOON });
      await ledger.startSlot({ ...slot(10), runId: "run_1" });
      await ledger.endSlot({ ...slot(10), state: "failed", detail: "it failed", now: NOON });
      const straddling = { firstAt: slot(2).slotAt, slotAt: slot(5).slotAt, slots: 4 };
      expect(await ahead(ledger, 3)).toEqual({ rows: 5, latestAt: slot(10).slotAt, straddling: [straddling] });
      const came = [{ firstAt: slot(2).slotAt, slotAt: slot(3).slotAt, slots: 2 }];
      const back = { schedule: SITE, now: slot(3).slotAt, came };
      expect(await ledger.takeBackSlotsAhead(back)).toBe(3);
      expect(await rowsOf(ledger)).toEqual(["10-10 ×1 failed", "6-6 ×1 claimed", "2-3 ×2 missed"]);
      expect(await ledger.takeBackSlotsAhead(back)).toBe(0);
      expect(await ahead(ledger, 10)).toEqual({ rows: 0, latestAt: null, straddling: [] });
    });
  });

  it("takes back what a clock that was ahead has recorded of a slot whose time has come since", async () => {
    const ledger = await openWithSchedule(open);
    const wrong = slot(9).slotAt;
    await ledger.missSlots({ ...slot(2), firstAt: slot(1).slotAt, slots: 2, detail: "nobody watched", now: wrong });
    await ledger.claimSlot({ ...slot(3), now: wrong });
    await ledger.claimSlot({ ...slot(4), now: slot(4).slotAt });
    await ledger.endSlot({ ...slot(4), state: "refused", detail: "one is at work", now: slot(4).slotAt });
    expect(await ledger.takeBackSlotsAhead({ schedule: SITE, now: slot(4).slotAt, came: [] })).toBe(1);
    expect(await ledger.readSlots({ schedule: SITE, limit: 9 })).toMatchObject([
      { slotAt: slot(4).slotAt, state: "refused" },
      { slotAt: slot(3).slotAt, state: "claimed" },
    ]);
  });

  describe("the rows of slots", () => {
    async function openWithSlots(): Promise<Ledger> {
      const ledger = await openWithSchedule(open);
      for (let hours = 1; hours <= 5; hours++) {
        await ledger.claimSlot({ ...slot(hours), now: slot(hours).slotAt });
        if (hours !== 2) {
          await ledger.endSlot({ ...slot(hours), state: "done", detail: null, now: slot(hours).slotAt });
        }
      }
      return ledger;
    }
    const hoursOf = async (ledger: Ledger) =>
      (await ledger.readSlots({ schedule: SITE, limit: 100 })).map(({ slotAt }) => (slotAt - NOON) / HOUR_MS);

    it("are listed the newest first, up to a limit", async () => {
      const ledger = await openWithSlots();
      expect(await hoursOf(ledger)).toEqual([5, 4, 3, 2, 1]);
      expect(await ledger.readSlots({ schedule: SITE, limit: 2 })).toHaveLength(2);
      expect(await ledger.readSlots({ schedule: "report", limit: 2 })).toEqual([]);
    });

    it("are trimmed to the newest ones; open ones stay", async () => {
      const ledger = await openWithSlots();
      expect(await ledger.trimSlots({ keep: 2 })).toBe(2);
      expect(await hoursOf(ledger)).toEqual([5, 4, 2]);
      expect(await ledger.trimSlots({ keep: 2 })).toBe(0);
    });

    it("are pruned by age; open ones and the newest stay", async () => {
      const ledger = await openWithSlots();
      const before = NOON + 100 * HOUR_MS;
      expect(await ledger.prune({ before, dryRun: true })).toMatchObject({ slots: 3 });
      expect(await ledger.prune({ before: slot(3).slotAt, dryRun: false })).toMatchObject({ slots: 1 });
      expect(await ledger.prune({ before, dryRun: false })).toMatchObject({ slots: 2 });
      expect(await hoursOf(ledger)).toEqual([5, 2]);
    });
  });
}
