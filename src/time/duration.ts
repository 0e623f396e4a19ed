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

/** The units, longest first. */
const UNITS_DOWN = Object.entries(UNIT_MS).toReversed();

/** A duration as `parseDuration` takes it, in the longest unit that fits exactly: `7d`, `36h`, `90s`. */
export function formatDuration(durationMs: number): string {
  const [unit, unitMs] = UNITS_DOWN.find(([, ms]) => durationMs > 0 && durationMs % ms === 0) ?? ["ms", 1];
  return `${durationMs / unitMs}${unit}`;
}

/** An age for readers, in its two longest units: `9d 4h`. It is cut, not rounded. */
export function formatAge(ageMs: number): string {
  let rest = ageMs;
  const parts = UNITS_DOWN.flatMap(([unit, unitMs]) => {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    return count > 0 ? [`${count}${unit}`] : [];
  });
  return parts.slice(0, 2).join(" ") || "0ms";
}
