/** The UTC days that a report is asked about. */
import { LicetError } from "../../errors.ts";
import type { SpendQuery } from "../../ledger/spend.ts";
import { isoDate } from "../../time/period.ts";
import { countUtcDays, parseUtcDay, toUtcDays, type UtcDays } from "../../time/utc-days.ts";

/** More days at once are months. */
const MAX_DAYS = 366;
const USUAL_DAYS = 30;
const DAY_MS = 86_400_000;

/** @param asked the first day, and the last one, which is today if it is left out @throws LicetError USAGE_INVALID */
export function chooseDays(
  { from, to = "today" }: { readonly from: string; readonly to?: string | undefined },
  now: number,
): UtcDays {
  const days = toUtcDays({ first: requireDay(from, now), last: requireDay(to, now) });
  const count = countUtcDays(days);
  if (count < 1 || count > MAX_DAYS) {
    const what = count < 1 ? `${from} is after ${to}` : `${count} days are more than ${MAX_DAYS}`;
    throw new LicetError("USAGE_INVALID", what, {
      hint: "The last day is included. For more days, ask for months.",
    });
  }
  return days;
}

/** The days that are asked for, or the last ones up to today. @throws LicetError USAGE_INVALID */
export function chooseUsualDays(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: number,
): UtcDays {
  if (from !== undefined) {
    return chooseDays({ from, to }, now);
  }
  if (to !== undefined) {
    throw new LicetError("USAGE_INVALID", "a last day was named without a first one", {
      hint: "Name the first day too (--from).",
    });
  }
  const today = now - (now % DAY_MS);
  return toUtcDays({ first: today - (USUAL_DAYS - 1) * DAY_MS, last: today });
}

/** The begin of a UTC day, and of the day after it: epoch ms. @throws LicetError USAGE_INVALID */
export function dayBounds(text: string, now: number): Pick<UtcDays, "from" | "to"> {
  const from = requireDay(text, now);
  return { from, to: from + DAY_MS };
}

/** The first and the last day, by their names. */
export const toDayRange = ({ from, to }: UtcDays): SpendQuery => ({
  firstDay: isoDate(from),
  lastDay: isoDate(to - DAY_MS),
});

function requireDay(text: string, now: number): number {
  const at = parseUtcDay(text, now);
  if (at === null) {
    throw new LicetError("USAGE_INVALID", `${JSON.stringify(text)} is not a day`, {
      hint: "Write a UTC day such as 2026-11-20, today or yesterday.",
    });
  }
  return at;
}
