/** How long to wait before a repetition: the gateway's own word where it gave one, else a growing, jittered time. */

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 10_000;

/**
 * The longest that a `Retry-After` is obeyed. A longer one is more likely a clock that is wrong, or an outage that the
 * run should report instead of sleeping through.
 */
export const MAX_RETRY_AFTER_MS = 120_000;

/**
 * The wait before repetition number `step` (1 is the first): doubling, between half of it and all of it, so that
 * calls that failed together do not return together.
 *
 * @param random a value in [0, 1)
 */
export function backoffMs(step: number, random: number): number {
  const full = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(step - 1, 30));
  return Math.round(full * (0.5 + random * 0.5));
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
