/** A first-in, first-out line of requests. Both ends take constant time on average, also with aborted requests in between. */

export interface Waiter {
  /** Admits the request with this pass. Null once the request was aborted. */
  admit: ((pass: number) => void) | null;
  /** From this time on it must not be sent any more, epoch ms. Infinity: it never expires. */
  readonly expiresAt: number;
  /** The order of arrival over all lines of a gate: a smaller number is earlier. */
  readonly turn: number;
}

/** How many positions at the front may be empty before the rest is moved. */
const EMPTY_FRONT = 1024;

export class WaitingLine {
  #waiters: Waiter[] = [];
  #first = 0;

  push(waiter: Waiter): void {
    this.#waiters.push(waiter);
  }

  /** The next request that was not aborted. Null: none waits. */
  peek(): Waiter | null {
    while (this.#first < this.#waiters.length) {
      const waiter = this.#waiters[this.#first] as Waiter;
      if (waiter.admit !== null) {
        return waiter;
      }
      this.#first += 1;
    }
    if (this.#first > 0) {
      this.#waiters = [];
      this.#first = 0;
    }
    return null;
  }

  /** Removes the request that `peek` returned. */
  shift(): void {
    this.#first += 1;
    // The rest is moved only when the empty part is the larger one, so each step is O(1) on average.
    if (this.#first > EMPTY_FRONT && this.#first * 2 > this.#waiters.length) {
      this.#waiters = this.#waiters.slice(this.#first);
      this.#first = 0;
    }
  }

  /** Removes all requests. */
  drain(): readonly Waiter[] {
    const waiting = this.#waiters.slice(this.#first);
    this.#waiters = [];
    this.#first = 0;
    return waiting;
  }
}
