/**
 * Dates as gateways write them, in ISO 8601. A date without a time names a day of UTC: what it means, its beginning or its end, says whoever
 * reads it.
 */

/** A date, or a date and time with up to nine decimals of a second and an offset. Without an offset it is UTC. */
const PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):?(\d\d)?)?)?$/;

/** More than the longest text that the pattern accepts. */
const MAX_CHARS = 40;
/**
 * Years outside this range are not real dates of a web page but placeholders: year 1 (the zero time of some languages), 1970 (the
 * zero epoch), 9999. A wrong date is worse than a missing one, because incremental walks depend on it.
 */
const MIN_YEAR = 1971;
const MAX_YEAR = 2199;
/** For messages. */
export const REAL_YEARS = `${MIN_YEAR} to ${MAX_YEAR}`;
const MINUTE_MS = 60_000;

export interface IsoInstant {
  /** Epoch ms. Of a date without a time: the beginning of its day in UTC. */
  readonly at: number;
  readonly hasTime: boolean;
}

/** Fractions of a millisecond are cut off. Returns null for any other text and never throws. */
export function parseIsoInstant(raw: string | null): IsoInstant | null {
  const text = raw?.trim() ?? "";
  const match = text.length > MAX_CHARS ? null : PATTERN.exec(text);
  if (match === null) {
    return null;
  }
  const field = (index: number) => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(field) as [number, ...number[]];
  const ms = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  const offsetMinutes = (match[8] === "-" ? -1 : 1) * (field(9) * 60 + field(10));
  if (!isTimeOfDay(hour ?? 0, minute ?? 0, second ?? 0) || field(9) > 23 || field(10) > 59) {
    return null;
  }
  if (year < MIN_YEAR || year > MAX_YEAR || !isDay(year, month ?? 0, day ?? 0)) {
    return null;
  }
  const at = Date.UTC(year, (month ?? 0) - 1, day, hour, minute, second, ms) - offsetMinutes * MINUTE_MS;
  return { at, hasTime: match[4] !== undefined };
}

/** Whether an instant is in a year of real dates. Epoch seconds that were taken for milliseconds are not. */
export function isRealInstant(at: number): boolean {
  return at >= Date.UTC(MIN_YEAR, 0, 1) && at < Date.UTC(MAX_YEAR + 1, 0, 1);
}

/** The year of a text that begins as a date does, and that `parseIsoInstant` refuses for it. Null: its year is not what is wrong. */
export function findUnrealYear(raw: string): number | null {
  const [, year] = PATTERN.exec(raw.trim().slice(0, MAX_CHARS)) ?? [];
  return year === undefined || (Number(year) >= MIN_YEAR && Number(year) <= MAX_YEAR) ? null : Number(year);
}

/** Second 60 is a leap second. It counts as the first second of the next minute. */
function isTimeOfDay(hour: number, minute: number, second: number): boolean {
  return hour <= 23 && minute <= 59 && second <= 60;
}

/** Date.UTC moves a day that does not exist into the next month, which shows that it is invalid. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
