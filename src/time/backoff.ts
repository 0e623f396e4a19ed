/**
 * Exponential backoff with equal jitter: between half of the full wait and all of it, so that workers that failed together do not
 * retry together.
 * @param attempt the number of the failed attempt, from 1
 * @param random 0 ≤ x < 1
 * @returns ms
 */
export function backoffMs(attempt: number, baseMs: number, maxMs: number, random: () => number): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30));
  return Math.ceil(full / 2 + (full / 2) * random());
}
