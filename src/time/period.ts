/**
 * Budget periods as UTC calendar periods. Weeks follow ISO 8601: Monday to Sunday, numbered by their Thursday. All calculations
 * use epoch ms, because UTC has no daylight saving and every day has the same length.
 */

/**
 * The periods of a budget; `total` never ends. This is the same union as BudgetPeriod, which is in a room that this one must not
 * import.
 */
export type Period = "day" | "week" | "month" | "total";

const DAY_MS = 86_400_000;
/** 1970-01-01 was a Thursday, three days after the Monday of its week. */
const EPOCH_DAYS_AFTER_MONDAY = 3;
const DAYS_TO_THURSDAY = 3;

/**
 * The name of the period that contains `at` (epoch ms): `day:2026-11-20`, `week:2026-W47`, `month:2026-11`, `total`.
 */
export function periodKey(period: Period, at: number): string {
  switch (period) {
    case "day":
      return `day:${isoDate(at)}`;
    case "week":
      return `week:${isoWeek(at)}`;
    case "month":
      return `month:${isoDate(at).slice(0, 7)}`;
    case "total":
      return "total";
    default:
      return period satisfies never;
  }
}

/** The first instant of the next UTC day, epoch ms. */
export function nextMidnight(at: number): number {
  return (dayNumber(at) + 1) * DAY_MS;
}

function dayNumber(at: number): number {
  return Math.floor(at / DAY_MS);
}

function mondayOf(day: number): number {
  const daysIntoWeek = (((day + EPOCH_DAYS_AFTER_MONDAY) % 7) + 7) % 7;
  return day - daysIntoWeek;
}

/** `2026-11-20`: the UTC day of an instant. */
export function isoDate(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** A week belongs to the year of its Thursday, so the year of a week may differ from the year of its days. */
function isoWeek(at: number): string {
  const thursdayAt = (mondayOf(dayNumber(at)) + DAYS_TO_THURSDAY) * DAY_MS;
  const year = new Date(thursdayAt).getUTCFullYear();
  const week = Math.floor((thursdayAt - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) + 1;
  return `${year}-W${String(week).padStart(2, "0")}`;
}
