/**
 * The slots of a schedule: the instants at which it is due. They follow from the expression alone, whoever asks and from where: so the
 * same slot has the same instant in each process, and the ledger can keep one row of it.
 *
 * cron-parser reads the expression and finds the times, on the clocks of the zone (zone-offset.ts), which know no daylight saving. What a
 * change of the clocks does is decided here:
 * - A time that does not exist comes at the end of the missing hour. Several such times, and that hour's end itself, are one slot.
 * - A time that comes twice is a slot once, the first time. Only an expression for every hour is due in both hours: a schedule of each
 *   ten minutes must not pause for an hour in autumn.
 *
 * Everything is found by `next`, so there is one definition of a slot. No function lists the slots of a long time: the latest of them is
 * found by halving, and counting has a limit.
 */
import { CronExpressionParser } from "cron-parser";
import { createZone, type Zone } from "./zone-offset.ts";

/** A zone has at most one change of its clocks in the time that one step crosses. */
const MAX_STEPS = 4;
const HOURS_A_DAY = 24;
const DAY_MS = 86_400_000;

/** When a schedule is due. */
export interface SlotTimes {
  /** The first slot after an instant, epoch ms. Null: there is none. */
  next(after: number): number | null;
}

/** @param cron five fields, six with seconds first, or a name such as `@daily`; checked by the configuration */
export function createCronSlots(cron: string, timeZone: string): SlotTimes {
  const zone = createZone(timeZone);
  const expression = CronExpressionParser.parse(cron, { tz: "UTC" });
  const isEveryHour = new Set(expression.fields.hour.values).size === HOURS_A_DAY;
  const nextWall = (after: number): number | null => {
    expression.reset(new Date(after));
    try {
      return expression.next().getTime();
    } catch {
      // No such day in all the years that cron-parser looks at.
      return null;
    }
  };
  const nextOnce = (after: number) => nextFirstTime(zone, nextWall, after);
  return { next: isEveryHour ? (after) => nextInBothHours({ zone, nextWall, nextOnce }, after) : nextOnce };
}

/** Due at each multiple of an interval, counted from 1970. */
export function createIntervalSlots(everyMs: number): SlotTimes {
  return { next: (after) => (Math.floor(after / everyMs) + 1) * everyMs };
}

/** Slots of a schedule whose every time is due once. */
function nextFirstTime(zone: Zone, nextWall: (after: number) => number | null, after: number): number | null {
  let from = zone.toWall(after);
  for (let step = 0; step < MAX_STEPS; step++) {
    const wall = nextWall(from);
    if (wall === null) {
      return null;
    }
    const at = zone.toInstant(wall);
    if (at > after) {
      return at;
    }
    // The clocks were set back since: every time up to the one that they showed last came already.
    const setBackAt = zone.findSetBack(at, after);
    from = setBackAt === null ? wall : Math.max(wall, zone.toWall(setBackAt - 1));
  }
  return null;
}

interface BothHours {
  readonly zone: Zone;
  readonly nextWall: (after: number) => number | null;
  readonly nextOnce: (after: number) => number | null;
}

/** Slots of a schedule of every hour: also the times that come a second time, when the clocks are set back. */
function nextInBothHours({ zone, nextWall, nextOnce }: BothHours, after: number): number | null {
  const once = nextOnce(after);
  /** The next time that the clocks show when they go on from `at` without a change. */
  const nextShown = (at: number, isDueItself: boolean): number[] => {
    const shown = zone.toWall(at);
    const wall = nextWall(isDueItself ? shown - 1 : shown);
    const shownAt = wall === null ? null : at + (wall - shown);
    return shownAt !== null && zone.toWall(shownAt) === wall ? [shownAt] : [];
  };
  const setBackAt = zone.findSetBack(after, Math.min(once ?? Number.POSITIVE_INFINITY, after + DAY_MS));
  const candidates = [
    ...nextShown(after, false),
    ...(setBackAt === null ? [] : nextShown(setBackAt, true)),
    ...(once === null ? [] : [once]),
  ];
  return candidates.length === 0 ? null : Math.min(...candidates);
}

/** The first slots after an instant, at most `count`. */
export function nextSlots(times: SlotTimes, after: number, count: number): number[] {
  const slots: number[] = [];
  let at = times.next(after);
  while (at !== null && slots.length < count) {
    slots.push(at);
    at = slots.length < count ? times.next(at) : null;
  }
  return slots;
}

/** The last slot after `after` and not after `until`. Null: there is none. It takes some forty steps, however many slots there were. */
export function latestSlot(times: SlotTimes, after: number, until: number): number | null {
  let latest = times.next(after);
  if (latest === null || latest > until) {
    return null;
  }
  // `latest` is a slot that has come, and after `none` no slot comes until then.
  let none = until;
  while (latest < none) {
    const middle = latest + Math.floor((none - latest) / 2);
    const found = times.next(middle);
    if (found === null || found > until) {
      none = middle;
    } else {
      latest = found;
    }
  }
  return latest;
}

/** How many slots came after `after` and not after `until`. It counts no further than `max`. */
export function countSlots(times: SlotTimes, after: number, until: number, max: number): number {
  let count = 0;
  for (let at = times.next(after); at !== null && at <= until && count < max; at = times.next(at)) {
    count += 1;
  }
  return count;
}
