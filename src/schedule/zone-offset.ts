/**
 * Wall-clock time and instants of one time zone. A *wall time* is what the clocks of the zone show, written as if it were UTC, in epoch
 * ms: so it has no daylight saving, and it can be added to.
 */

const DAY_MS = 86_400_000;

export interface Zone {
  /** What the clocks show at an instant. */
  toWall(at: number): number;
  /**
   * The first instant at which the clocks show this, or have passed it: a wall time that comes twice is the first of both, and one that
   * never comes is the end of the hour that is missing. It never falls when the wall time rises.
   */
  toInstant(wall: number): number;
  /**
   * The last moment within a day before `until`, and after `after`, at which the clocks were set back. Null: they were not.
   */
  findSetBack(after: number, until: number): number | null;
}

export function createZone(timeZone: string): Zone {
  const offsetAt = createOffsetReader(timeZone);
  const toWall = (at: number) => at + offsetAt(at);

  /** The first instant in (low, high] whose offset is another one than that of `low`. Times are whole seconds. */
  const findChange = (low: number, high: number): number => {
    const before = offsetAt(low);
    let last = low;
    let changed = high;
    while (changed - last > 1) {
      const middle = Math.floor((last + changed) / 2);
      if (offsetAt(middle) === before) {
        last = middle;
      } else {
        changed = middle;
      }
    }
    return changed;
  };

  return {
    toWall,
    toInstant: (wall) => {
      // No zone is a day from UTC, so these are the offsets before and after any change that is near.
      const offsets = [offsetAt(wall - DAY_MS), offsetAt(wall + DAY_MS)].sort((a, b) => b - a);
      const [earliest = wall, latest = wall] = offsets.map((offset) => wall - offset);
      const shown = [earliest, latest].find((at) => toWall(at) === wall);
      return shown ?? findChange(earliest, latest);
    },
    findSetBack: (after, until) => {
      const from = Math.max(after, until - DAY_MS);
      return offsetAt(from) > offsetAt(until) ? findChange(from, until) : null;
    },
  };
}

/** @returns a function from an instant to the zone's distance from UTC, ms */
function createOffsetReader(timeZone: string): (at: number) => number {
  if (timeZone === "UTC") {
    return () => 0;
  }
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (at) => {
    const parts: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(at)) {
      parts[type] = Number(value);
    }
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    const wholeSecondAt = at - (((at % 1000) + 1000) % 1000);
    return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSecondAt;
  };
}
