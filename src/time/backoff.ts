/** More doublings of any wait are beyond every longest wait. */
const MAX_DOUBLINGS = 30;

/**
 * A wait that doubles with each failed attempt.
 * @param attempt the number of the failed attempt, from 1
 * @returns ms
 */
export function doubledMs(attempt: number, baseMs: number, maxMs: number): number {
  return Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, MAX_DOUBLINGS));
}

/**
 * Exponential backoff with equal jitter: between half of the full wait and all of it, so that workers that failed together do not
 * retry together.
 * @param attempt the number of the failed attempt, from 1
 * @param random 0 ≤ x < 1
 * @returns ms
 */
export function backoffMs(attempt: number, baseMs: number, maxMs: number, random: () => number): number {
  const full = doubledMs(attempt, baseMs, maxMs);
  return Math.ceil(full / 2 + (full / 2) * random());
}
