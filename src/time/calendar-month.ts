/** Calendar months in UTC, as statements count them. */

/** `[from, to)`, epoch ms. */
export interface CalendarMonth {
  /** `2026-11` */
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

const NAME = /^(\d{4})-(0[1-9]|1[0-2])$/;
/** Years before have two digits for `Date.UTC`. */
const FIRST_YEAR = 1970;

/** Reads `2026-11`. Null: that is not a month. */
export function parseCalendarMonth(text: string): CalendarMonth | null {
  const [, year = "", month = ""] = NAME.exec(text) ?? [];
  return Number(year) < FIRST_YEAR ? null : toMonth(Number(year), Number(month) - 1);
}

/** The month of an instant (epoch ms). */
export function monthOf(at: number): CalendarMonth {
  const date = new Date(at);
  return toMonth(date.getUTCFullYear(), date.getUTCMonth());
}

/** The month that had ended last at an instant (epoch ms). */
export function lastEndedMonth(at: number): CalendarMonth {
  const date = new Date(at);
  return toMonth(date.getUTCFullYear(), date.getUTCMonth() - 1);
}

/** @param monthIndex from 0; -1 is December of the year before */
function toMonth(year: number, monthIndex: number): CalendarMonth {
  const from = Date.UTC(year, monthIndex, 1);
  const to = Date.UTC(year, monthIndex + 1, 1);
  return { name: new Date(from).toISOString().slice(0, 7), from, to };
}
