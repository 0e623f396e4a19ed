/** First come, first served; both ends in constant time on average, whoever gave up in between included. */

export interface Waiter {
  /** Lets it in with this pass; null once it gave up. */
  admit: ((pass: number) => void) | null;
  /** When it came: smaller is earlier, over all lines of a gate. */
  readonly turn: number;
}

/** Positions that may be empty at the front before the rest is moved there. */
const EMPTY_FRONT = 1024;

export class WaitingLine {
  #waiters: Waiter[] = [];
  #first = 0;

  push(waiter: Waiter): void {
    this.#waiters.push(waiter);
  }

  /** Whoever is next, without those that gave up; null: nobody waits. */
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

  /** Takes out whom `peek` named. */
  shift(): void {
    this.#first += 1;
    // Moving the rest to the front only once the empty part is the larger one keeps each step O(1) on average.
    if (this.#first > EMPTY_FRONT && this.#first * 2 > this.#waiters.length) {
      this.#waiters = this.#waiters.slice(this.#first);
      this.#first = 0;
    }
  }

  /** Takes everybody out. */
  drain(): readonly Waiter[] {
    const waiting = this.#waiters.slice(this.#first);
    this.#waiters = [];
    this.#first = 0;
    return waiting;
  }
}
