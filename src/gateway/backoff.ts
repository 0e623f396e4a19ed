/** How long to wait before a retry: the time that the gateway asked for, or else a growing time with jitter. */
import { backoffMs } from "../time/backoff.ts";

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 10_000;

/**
 * The longest `Retry-After` that is obeyed. A longer one probably comes from a wrong clock, or from an outage that the run should
 * report instead of waiting.
 */
export const MAX_RETRY_AFTER_MS = 120_000;

/**
 * The wait before retry number `step` of a call (from 1), in ms.
 *
 * @param random a value in [0, 1)
 */
export function callBackoffMs(step: number, random: number): number {
  return backoffMs(step, FIRST_BACKOFF_MS, MAX_BACKOFF_MS, () => random);
}

/**
 * Parses a `Retry-After`: whole or decimal seconds, or an HTTP date (RFC 9110 § 10.2.3).
 *
 * @returns ms from now, at least 0 and at most MAX_RETRY_AFTER_MS; null when it is absent or invalid
 */
export function parseRetryAfter(value: string | null, nowMs: number): number | null {
  const text = value?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) {
    return Math.min(Math.ceil(Number(text) * 1000), MAX_RETRY_AFTER_MS);
  }
  // An HTTP date begins with its weekday. `Date.parse` alone would also accept "-1" or "5 apples".
  const at = /^[A-Za-z]{3,9}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.min(Math.max(at - nowMs, 0), MAX_RETRY_AFTER_MS);
}
