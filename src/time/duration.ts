import { LicetError } from "../errors.ts";

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION_PATTERN = /^(\d+)(ms|s|m|h|d)$/;
const MAX_QUOTED_CHARS = 40;

/**
 * Parses a duration such as `30d`, `6h`, `5m`, `90s` or `250ms` to ms. A day has 24 hours.
 * @throws LicetError DURATION_INVALID
 */
export function parseDuration(text: string): number {
  const match = DURATION_PATTERN.exec(text.trim());
  const [, count = "", unit = ""] = match ?? [];
  const durationMs = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (match === null || !Number.isSafeInteger(durationMs)) {
    throw new LicetError("DURATION_INVALID", `${JSON.stringify(text.slice(0, MAX_QUOTED_CHARS))} is not a duration`, {
      hint: 'Write a whole number and one unit (ms, s, m, h or d), like "30d" or "90s".',
    });
  }
  return durationMs;
}

/** @param duration a number of milliseconds, or a text as `parseDuration` takes it */
export function toMs(duration: number | string): number {
  return typeof duration === "number" ? duration : parseDuration(duration);
}
