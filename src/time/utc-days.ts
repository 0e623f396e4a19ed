/** Ranges of UTC days, as people name them. */
import { isoDate } from "./period.ts";

const DAY_MS = 86_400_000;
const NAME = /^\d{4}-\d\d-\d\d$/;

/** `[from, to)`, epoch ms: whole UTC days. */
export interface UtcDays {
  /** `2026-11-20`, or `2026-11-20..2026-11-22`. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The first instant of a UTC day: `2026-11-20`, `today`, `yesterday`. Null: that is not a day. @param now epoch ms */
export function parseUtcDay(text: string, now: number): number | null {
  const today = now - (now % DAY_MS);
  if (text === "today" || text === "yesterday") {
    return text === "today" ? today : today - DAY_MS;
  }
  const at = NAME.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(at) || at < 0 || isoDate(at) !== text ? null : at;
}

/** @param days the first instants of the first and of the last day */
export function toUtcDays({ first, last }: { readonly first: number; readonly last: number }): UtcDays {
  const [begin, end] = [isoDate(first), isoDate(last)];
  return { name: begin === end ? begin : `${begin}..${end}`, from: first, to: last + DAY_MS };
}

/** How many days a range has. */
export function countUtcDays({ from, to }: UtcDays): number {
  return Math.round((to - from) / DAY_MS);
}
