/**
 * The slots of schedules. A slot is a row with the key (schedule, slot), so that none runs twice, whatever the queue does: of several
 * claims one inserts the row.
 */
import type { Currency } from "../money/money.ts";
import type { RunState } from "../run/run-state.ts";
import type { Spend } from "./spend.ts";

/**
 * `claimed`: somebody works on it. `started`: its run has begun, or its task is at work. `done`: it ended. `refused`: another run of
 * the site was at work. `missed`: no service was running, or a later slot stands for it. `failed`: it could not begin.
 */
export const SLOT_STATES = ["claimed", "started", "done", "refused", "missed", "failed"] as const;
/** What came of a slot. */
export type SlotState = (typeof SLOT_STATES)[number];

/** States of slots that somebody works on, or worked on when the process died. */
export const OPEN_SLOT_STATES = ["claimed", "started"] as const satisfies readonly SlotState[];
export type OpenSlotState = (typeof OPEN_SLOT_STATES)[number];
export type EndedSlotState = Exclude<SlotState, OpenSlotState>;

/** Names a slot. */
export interface SlotKey {
  /** `site:<host>`, or the name of a task of the service. */
  readonly schedule: string;
  /** When it was due, epoch ms. */
  readonly slotAt: number;
}

/** A slot, and the process that says something of it. What a process says of a slot that it does not have changes nothing. */
export interface HeldSlot extends SlotKey {
  readonly process: string;
}

/** A slot that has not ended. */
export interface OpenSlot extends HeldSlot {
  readonly state: OpenSlotState;
  readonly runId: string | null;
  readonly claimedAt: number;
}

/** A slot in the list of slots, with what came of it. Instants are epoch ms. */
export interface SlotRecord extends SlotKey {
  readonly state: SlotState;
  /** Why it was refused or missed, how it failed, or what a task did. */
  readonly detail: string | null;
  /** The first slot that this row stands for. */
  readonly firstAt: number;
  /** How many slots this row stands for. More than one only for missed slots. */
  readonly slots: number;
  readonly claimedAt: number;
  readonly endedAt: number | null;
  /** The run of the slot. Null: it began none, or the run was pruned. */
  readonly run: {
    readonly runId: string;
    readonly state: RunState;
    readonly pagesBought: number;
    readonly pagesInDoubt: number;
    readonly spend: Readonly<Record<Currency, Spend>>;
  } | null;
}

/** A row of missed slots: the first of them, the last of them, and how many they are. */
export interface MissedRow extends Pick<SlotRecord, "slotAt" | "firstAt" | "slots"> {}

/** Rows of slots that are later than the clock. */
export interface SlotsAhead {
  readonly rows: number;
  /** The latest slot among them. Null: there is none. */
  readonly latestAt: number | null;
  /** Rows of missed slots of which some have come. */
  readonly straddling: readonly MissedRow[];
}

export interface ScheduleLedger {
  /**
   * Records the schedules of the configuration. The slots of a new one, and of one with another timing, are owed from `now` on: no
   * earlier one was missed. So are those of a schedule that begins after `now`: the clock was set back. Those that are not named are forgotten, and their slots stay. Idempotent.
   */
  setSchedules(set: {
    readonly schedules: readonly { readonly name: string; readonly timing: string }[];
    readonly now: number;
  }): Promise<void>;
  /**
   * The instant up to which no slot of a schedule is owed: its newest row that has come, or when the schedule began. A row later than `now`
   * was recorded under a clock that was ahead: it keeps its own slot from running again, and no other. Null for a schedule that is not recorded.
   */
  readOwedAfter(query: { readonly schedule: string; readonly now: number }): Promise<number | null>;
  /** Claims a slot. True when this call inserted its row; false when the slot has one. */
  claimSlot(claim: HeldSlot & { readonly now: number }): Promise<boolean>;
  /** Records slots that will not run, in the row of the last of them. False when that slot has a row. */
  missSlots(
    missed: HeldSlot & {
      /** The first of them. */
      readonly firstAt: number;
      /** How many there were. */
      readonly slots: number;
      readonly detail: string;
      readonly now: number;
    },
  ): Promise<boolean>;
  /**
   * The rows of a schedule that a clock which was ahead has recorded: of slots after `now`, and of slots that have come since, whose rows were
   * written more than a minute after `now`. It reads the rows of the schedule.
   */
  readSlotsAhead(query: { readonly schedule: string; readonly now: number }): Promise<SlotsAhead>;
  /**
   * Takes back what a clock that was ahead has recorded (`readSlotsAhead`) of slots that began nothing (missed, refused, failed without a run),
   * so that they run when they come. Of a row of missed slots that begins before, those that have come stay (`came`). The rows of slots that
   * began something stay: such a slot does not run again. Idempotent. Returns how many rows are gone or shorter.
   */
  takeBackSlotsAhead(back: {
    readonly schedule: string;
    readonly now: number;
    readonly came: readonly MissedRow[];
  }): Promise<number>;
  /** Takes an open slot from a process that died or stopped. False when the slot has ended, or is no longer that process's. */
  takeSlot(take: HeldSlot & { readonly from: string }): Promise<boolean>;
  /**
   * Records that the work of a slot has begun, and its run. A later call with another run replaces it: the run that took over the first
   * one. False when the slot has ended or another process has it. Idempotent.
   */
  startSlot(start: HeldSlot & { readonly runId: string | null }): Promise<boolean>;
  /** Ends a slot. False when it has ended or another process has it. */
  endSlot(
    end: HeldSlot & { readonly state: EndedSlotState; readonly detail: string | null; readonly now: number },
  ): Promise<boolean>;
  /** Every slot that has not ended, oldest first. There are few of them. */
  listOpenSlots(): Promise<readonly OpenSlot[]>;
  /** Deletes all but the newest `keep` rows of each recorded schedule. Open slots stay. Returns how many it deleted. */
  trimSlots(request: { readonly keep: number }): Promise<number>;
}
