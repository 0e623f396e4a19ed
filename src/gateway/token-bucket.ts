/**
 * The rate limit: a bucket that fills steadily, of which each request takes one. It contains few, so requests start evenly and not in a burst at
 * each full second.
 */
export class TokenBucket {
  /** Null: no limit. */
  #perMs: number | null = null;
  #most = 0;
  #content = 0;
  #filledAt = 0;

  /** It begins full. */
  constructor(requestsPerSecond: number | null, burst: number, now: () => number) {
    if (requestsPerSecond !== null) {
      this.setRate(requestsPerSecond, burst, now());
      this.#content = burst;
    }
  }

  /** From now on. What may start at once does not grow: it fills at the new rate, so that what one process gave up is not used twice. */
  setRate(requestsPerSecond: number | null, burst: number, now: number): void {
    this.#fill(now);
    this.#perMs = requestsPerSecond === null ? null : requestsPerSecond / 1000;
    this.#most = burst;
    this.#content = Math.min(this.#content, burst);
    this.#filledAt = now;
  }

  get isLimited(): boolean {
    return this.#perMs !== null;
  }

  take(): void {
    if (this.#perMs !== null) {
      this.#content -= 1;
    }
  }

  /** How long until there is one more, ms. 0: now. */
  delayMs(now: number): number {
    if (this.#perMs === null) {
      return 0;
    }
    this.#fill(now);
    return this.#content >= 1 ? 0 : Math.ceil((1 - this.#content) / this.#perMs);
  }

  #fill(now: number): void {
    this.#content = Math.min(this.#most, this.#content + Math.max(0, now - this.#filledAt) * (this.#perMs ?? 0));
    this.#filledAt = now;
  }
}
