/** How long to wait before a repetition: the gateway's own word where it gave one, else a growing, jittered time. */
import { backoffMs } from "../time/backoff.ts";

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 10_000;

/**
 * The longest that a `Retry-After` is obeyed. A longer one is more likely a clock that is wrong, or an outage that the
 * run should report instead of sleeping through.
 */
export const MAX_RETRY_AFTER_MS = 120_000;

/**
 * The wait before repetition number `step` of a call (1 is the first), in ms.
 *
 * @param random a value in [0, 1)
 */
export function callBackoffMs(step: number, random: number): number {
  return backoffMs(step, FIRST_BACKOFF_MS, MAX_BACKOFF_MS, () => random);
}

/**
 * Reads a `Retry-After`: whole or decimal seconds, or an HTTP date (RFC 9110 § 10.2.3).
 *
 * @returns ms from now, at least 0 and at most MAX_RETRY_AFTER_MS; null when it is absent or means nothing
 */
export function parseRetryAfter(value: string | null, nowMs: number): number | null {
  const text = value?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) {
    return Math.min(Math.ceil(Number(text) * 1000), MAX_RETRY_AFTER_MS);
  }
  // A date names its day; `Date.parse` alone would also take "-1" or "5 apples" for one.
  const at = /^[A-Za-z]{3,9}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.min(Math.max(at - nowMs, 0), MAX_RETRY_AFTER_MS);
}
