/** A date alone, or a date and time with up to nine decimals of a second and an offset; no offset means UTC. */
const LAST_MOD_PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):?(\d\d)?)?)?$/;

/** Longer than any spelling of the pattern. */
const MAX_CHARS = 40;
/**
 * Years outside are not dates of a web page but marks for "none": year 1 (a zero time in some languages), 1970 (a zero epoch),
 * 9999. A wrong date is worse than none, since incremental walks go by it.
 */
const MIN_YEAR = 1971;
const MAX_YEAR = 2199;
const MINUTE_MS = 60_000;

/**
 * Reads a catalog's `lastMod` (ISO 8601, gateway-spec § Catalog page entry) as epoch ms, cutting what is finer. null for
 * anything else; never throws.
 */
export function parseLastMod(raw: string | null): number | null {
  const text = raw?.trim() ?? "";
  const match = text.length > MAX_CHARS ? null : LAST_MOD_PATTERN.exec(text);
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
  return Date.UTC(year, (month ?? 0) - 1, day, hour, minute, second, ms) - offsetMinutes * MINUTE_MS;
}

/** Second 60 is a leap second; it counts as the first of the next minute. */
function isTimeOfDay(hour: number, minute: number, second: number): boolean {
  return hour <= 23 && minute <= 59 && second <= 60;
}

/** Days that do not exist roll over into the next month, which shows. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
