const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const EXAMPLES = '{"by": "1d"}, {"by": "-2h"} or {"at": "2026-12-01T00:00:00Z"}';

/**
 * Reads how far a request moves the clock.
 *
 * @param now the time of the sandbox
 * @returns ms, negative for a move back
 * @throws Error that shows what to write
 */
export function parseClockMove({ by, at }: Readonly<Record<string, unknown>>, now: number): number {
  if ((by === undefined) === (at === undefined)) {
    throw new Error(`clock: write either by or at: ${EXAMPLES}`);
  }
  if (at !== undefined) {
    const instant =
      typeof at === "string" && /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/.test(at) ? Date.parse(at) : Number.NaN;
    if (Number.isNaN(instant)) {
      throw new Error(`clock: at is not an instant with its time zone: ${EXAMPLES}`);
    }
    return instant - now;
  }
  const match = typeof by === "string" ? /^(-?)(\d{1,9})(ms|s|m|h|d)$/.exec(by) : null;
  if (match === null) {
    throw new Error(`clock: by is not a duration in ms, s, m, h or d: ${EXAMPLES}`);
  }
  const [, sign, count, unit] = match;
  return (sign === "-" ? -1 : 1) * Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
