/**
 * What becomes of the slots of each schedule: looks at the clock and the ledger, claims what is due, records what was missed, and takes up
 * what an earlier service left. Looks at one schedule follow each other; looks at different ones do not wait for each other.
 */
import type { ConfiguredSchedule } from "../../agent/reports/configured-schedules.ts";
import { isLicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { findDue, MAX_COUNTED_SLOTS, type MissedSlots } from "../../schedule/misfire.ts";
import type { ServiceContext } from "../service-part.ts";
import { createSlotWorker, type SlotWorker } from "./slot-work.ts";
import { takeBackSlotsAhead } from "./slots-ahead.ts";

/** A slot that is found so long after it was due came when nobody watched. */
const ON_TIME_MS = 60_000;

/** What schedules need of the service. */
export interface SchedulerContext
  extends Pick<ServiceContext, "config" | "resources" | "runs" | "bus" | "log" | "stopping"> {
  readonly lease: Pick<ServiceContext["lease"], "lost">;
}

/** One schedule at work. */
interface Watched {
  readonly schedule: ConfiguredSchedule;
  /** No slot is owed before. Null: not known, look now. */
  nextAt: number | null;
  /** The slot in work, and its run. */
  active: { readonly slotAt: number; runId: string | null } | null;
  /** Another process still works on the run of an open slot. */
  isHeld: boolean;
  /** A missed slot waits for the end of the active one. */
  isDeferred: boolean;
  /** What the log said last about slots that cannot be written. */
  problem: string | null;
  turn: Promise<unknown>;
}

export class ScheduleWatch {
  readonly #context: SchedulerContext;
  readonly #process: string;
  readonly #watched: ReadonlyMap<string, Watched>;
  readonly #works = new Set<Promise<void>>();
  #opened: { readonly ledger: Ledger; readonly worker: SlotWorker } | null = null;
  #watchedSince: number;
  #latestSeen: number;
  /** How often the clock was set back. What was read or recorded before the last time is of a clock that was ahead. */
  #setBacks = 0;

  constructor(context: SchedulerContext, schedules: readonly ConfiguredSchedule[]) {
    this.#context = context;
    this.#process = context.resources.processes.begin();
    this.#watched = new Map(
      schedules.map((schedule) => [
        schedule.name,
        {
          schedule,
          nextAt: null,
          active: null,
          isHeld: false,
          isDeferred: false,
          problem: null,
          turn: Promise.resolve(),
        },
      ]),
    );
    this.#watchedSince = context.resources.clock.now();
    this.#latestSeen = this.#watchedSince;
  }

  /** Schedules with a slot that has been due for so long at least, or whose next slot is not known. */
  overdue(ms: number): { readonly name: string; readonly isKnown: boolean }[] {
    const until = this.#now() - ms;
    return [...this.#watched]
      .filter(([, { nextAt }]) => nextAt === null || nextAt <= until)
      .map(([name, { nextAt }]) => ({ name, isKnown: nextAt !== null }));
  }

  /** When the next slot of any schedule is due, as far as known. */
  nextAt(): number {
    return Math.min(...[...this.#watched.values()].map(({ nextAt }) => nextAt ?? Number.POSITIVE_INFINITY));
  }

  /** The clock. When it was set back since any look before, whoever asked for it, every schedule is looked at again. */
  #now(): number {
    const now = this.#context.resources.clock.now();
    if (now < this.#latestSeen) {
      this.#context.log.warn("the clock was set back: no slot that has run runs again");
      this.#setBacks += 1;
      this.#opened = null;
      this.#watchedSince = Math.min(this.#watchedSince, now);
      for (const one of this.#watched.values()) {
        one.nextAt = null;
      }
    }
    this.#latestSeen = now;
    return now;
  }

  /**
   * Looks whether a schedule has slots that are due, and works on them.
   * @returns whether this look found any
   * @throws LicetError LEDGER_*
   */
  look(name: string): Promise<boolean> {
    const one = this.#watched.get(name);
    return one === undefined ? Promise.resolve(false) : this.#inTurn(one, () => this.#look(one));
  }

  /**
   * Takes up slots that are open and that nobody here works on: an earlier service left them, or the ledger could not be written.
   * @throws LicetError LEDGER_*
   */
  async takeUpLeft(): Promise<void> {
    const { ledger } = await this.#open();
    const names = new Set((await ledger.listOpenSlots()).map(({ schedule }) => schedule));
    for (const [, one] of [...this.#watched].filter(([name, { isHeld }]) => isHeld && !names.has(name))) {
      one.isHeld = false;
      one.nextAt = null;
    }
    for (const name of names) {
      const one = this.#watched.get(name);
      await (one === undefined ? this.#takeUp(name, null) : this.#inTurn(one, () => this.#takeUp(name, one)));
    }
  }

  /** @throws LicetError LEDGER_* */
  async trim(keep: number): Promise<void> {
    await (await this.#open()).ledger.trimSlots({ keep });
  }

  /** Resolves when every look and every slot in work has ended. The runs of the slots are stopped by the run manager. */
  async settle(): Promise<void> {
    await Promise.all([...this.#watched.values()].map(({ turn }) => turn));
    await Promise.all(this.#works);
    this.#context.resources.processes.end(this.#process);
  }

  /** The ledger, once the schedules of this configuration are recorded in it. */
  async #open(): Promise<{ readonly ledger: Ledger; readonly worker: SlotWorker }> {
    // The clock may have been set back before this, and may be meanwhile: then the schedules are recorded anew.
    while (this.#opened === null) {
      const setBacks = this.#setBacks;
      const ledger = await this.#context.resources.ledger("create");
      const schedules = [...this.#watched.values()].map(({ schedule: { name, timingText } }) => ({
        name,
        timing: timingText,
      }));
      await ledger.setSchedules({ schedules, now: this.#watchedSince });
      const onRun: Parameters<typeof createSlotWorker>[0]["onRun"] = ({ schedule, slotAt }, runId) => {
        const active = this.#watched.get(schedule)?.active ?? null;
        if (active?.slotAt === slotAt) {
          active.runId = runId;
        }
      };
      const opened = { ledger, worker: createSlotWorker({ context: this.#context, ledger, onRun }) };
      this.#opened = setBacks === this.#setBacks ? opened : null;
    }
    return this.#opened;
  }

  #isStopping(): boolean {
    return this.#context.stopping.aborted || this.#context.lease.lost.aborted;
  }

  #inTurn<Result>(one: Watched, work: () => Promise<Result>): Promise<Result> {
    const done = one.turn.then(work);
    one.turn = done.catch(() => {
      // The next look of the watchdog says what is wrong.
      one.nextAt = null;
    });
    return done;
  }

  async #look(one: Watched): Promise<boolean> {
    const { schedule } = one;
    const now = this.#now();
    const setBacks = this.#setBacks;
    const { ledger } = await this.#open();
    // At each look: the clock of another machine may have been ahead since the last one.
    await takeBackSlotsAhead(ledger, schedule, { now, log: this.#context.log });
    const after = (await ledger.readOwedAfter({ schedule: schedule.name, now })) ?? now;
    const watchedSince = this.#watchedSince;
    const due = findDue({ ...schedule, after, now, watchedSince, onTimeMs: ON_TIME_MS });
    this.#now();
    // Set back meanwhile: the watchdog looks again.
    if (this.#isStopping() || setBacks !== this.#setBacks) {
      return false;
    }
    one.nextAt = schedule.times.next(Math.max(after, now)) ?? Number.POSITIVE_INFINITY;
    const isLate = due !== null && due.run !== null && (due.run <= watchedSince || due.run <= now - ON_TIME_MS);
    // One run for what was missed: it comes when the present one has ended.
    one.isDeferred = isLate && (one.active !== null || one.isHeld);
    if (due === null || one.isDeferred) {
      return false;
    }
    if (due.missed !== null) {
      await this.#recordMissed(ledger, schedule, due.missed);
    }
    if (due.run !== null) {
      await this.#beginSlot(one, due.run);
    }
    return true;
  }

  async #recordMissed(ledger: Ledger, { name, misfire }: ConfiguredSchedule, missed: MissedSlots): Promise<void> {
    const { slotAt, slots } = missed;
    const why = misfire === "skip" ? "the schedule skips what it missed" : "a later slot stands for it";
    const detail = `nobody watched the schedule at that time; ${why}`;
    const now = this.#now();
    if (await ledger.missSlots({ ...missed, schedule: name, process: this.#process, detail, now })) {
      const count = slots === MAX_COUNTED_SLOTS ? `${slots} or more` : String(slots);
      const message = `${name}: missed slots until ${new Date(slotAt).toISOString()}: ${count}; ${detail}`;
      this.#context.log.warn(message, { schedule: name, slots });
    }
  }

  async #beginSlot(one: Watched, slotAt: number): Promise<void> {
    const { schedule, active } = one;
    const { ledger, worker } = await this.#open();
    const slot = { schedule: schedule.name, slotAt, process: this.#process };
    if (!(await ledger.claimSlot({ ...slot, now: this.#now() }))) {
      return;
    }
    if (active === null) {
      this.#occupy(one, slotAt, () => worker.begin(slot, schedule));
      return;
    }
    const waits = schedule.host === null ? "is still at work" : "waits for its turn";
    const state = active.runId === null ? waits : `is at work as run ${active.runId}`;
    const detail = `the slot of ${new Date(active.slotAt).toISOString()} ${state}: nothing was begun`;
    await worker.end(slot, { state: "refused", detail });
  }

  async #takeUp(name: string, one: Watched | null): Promise<void> {
    const { ledger, worker } = await this.#open();
    for (const slot of await ledger.listOpenSlots()) {
      if (slot.schedule !== name || this.#isStopping() || (one !== null && one.active !== null)) {
        continue;
      }
      const process = this.#process;
      if (slot.process !== process && !(await ledger.takeSlot({ ...slot, process, from: slot.process }))) {
        continue;
      }
      const held = { ...slot, process };
      if (one === null) {
        await worker.continue(held, null);
      } else {
        this.#occupy(one, slot.slotAt, async () => {
          one.isHeld = (await worker.continue(held, one.schedule)) === "open";
        });
      }
    }
  }

  /** Works on a slot beside everything else. A schedule has one such slot at most. */
  #occupy(one: Watched, slotAt: number, work: () => Promise<void>): void {
    const { name } = one.schedule;
    one.active = { slotAt, runId: null };
    const working = work()
      .then(
        () => {
          one.problem = null;
        },
        (error: unknown) => {
          // The slot stays open in the ledger, and the watchdog takes it up again.
          const problem = `${name}: what came of a slot could not be recorded: ${isLicetError(error) ? error.message : String(error)}`;
          this.#context.log[problem === one.problem ? "debug" : "warn"](problem, { schedule: name });
          one.problem = problem;
        },
      )
      .finally(() => {
        one.active = null;
        this.#works.delete(working);
        if (one.isDeferred) {
          // The watchdog's next look finds it.
          one.nextAt = null;
        }
      });
    this.#works.add(working);
  }
}
