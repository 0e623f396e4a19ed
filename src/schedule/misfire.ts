/**
 * What happens to slots that passed while nobody watched: no service was running, the machine was suspended, or its clock was set
 * forward. Only the last of them may still run, and that one run stands for all of them (`once`), or none runs (`skip`).
 */
import { countSlots, latestSlot, type SlotTimes } from "./slot.ts";

/** What happens to the slots that came while no service was running: one run for all of them, or none. */
export const MISFIRES = ["once", "skip"] as const;
export type Misfire = (typeof MISFIRES)[number];

/** Missed slots are counted up to here: a schedule of seconds and a year without a service have 31 million. */
export const MAX_COUNTED_SLOTS = 1_000;

export interface DueQuery {
  readonly times: SlotTimes;
  readonly misfire: Misfire;
  /** No slot up to here is owed: the last one that has a row, or when the schedule began. */
  readonly after: number;
  readonly now: number;
  /** Since when somebody has watched this schedule. A slot up to here came when nobody did. */
  readonly watchedSince: number;
  /** A slot that is found so long after it was due came when nobody watched. */
  readonly onTimeMs: number;
}

/** Slots that will not run, in one row. */
export interface MissedSlots {
  /** The last of them. */
  readonly slotAt: number;
  readonly firstAt: number;
  /** How many there were, up to MAX_COUNTED_SLOTS. */
  readonly slots: number;
}

export interface DueSlots {
  /** The slot to run now. Null: none. */
  readonly run: number | null;
  readonly missed: MissedSlots | null;
}

/** The slots between the last row and now. Null: none is due. */
export function findDue({ times, misfire, after, now, watchedSince, onTimeMs }: DueQuery): DueSlots | null {
  const latest = latestSlot(times, after, now);
  if (latest === null) {
    return null;
  }
  const isOnTime = latest > watchedSince && latest > now - onTimeMs;
  const runs = isOnTime || misfire === "once";
  const before = runs ? latestSlot(times, after, latest - 1) : latest;
  return { run: runs ? latest : null, missed: before === null ? null : describeMissed(times, after, before) };
}

function describeMissed(times: SlotTimes, after: number, last: number): MissedSlots {
  return {
    slotAt: last,
    firstAt: times.next(after) ?? last,
    slots: countSlots(times, after, last, MAX_COUNTED_SLOTS),
  };
}
