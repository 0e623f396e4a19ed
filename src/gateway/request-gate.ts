/**
 * The gate that every request passes: at most `concurrency` are past it, in the order in which they came; not more of
 * them enter than the rate allows; and after a 429 nobody enters until the pause is over.
 *
 * The rate is a bucket that fills steadily and holds a twentieth of a second's worth, so that requests come evenly
 * instead of in a burst at each full second.
 *
 * A rate-limit *event* is one pause, however many answers tell of it: each request carries the number of the pauses
 * there had been when it entered, and its 429 makes a new event only if none has come since. So 64 answers in flight
 * are one step of backoff. A late one can still lengthen the pause with its own Retry-After.
 */
import type { Clock } from "../time/clock.ts";
import { callBackoffMs, MAX_RETRY_AFTER_MS } from "./backoff.ts";

/** What `enter` gives to a request that may not be sent: its signal was aborted, or the gate was closed. */
export const NOT_ADMITTED = -1;

export interface RequestGateOptions {
  readonly concurrency: number;
  /** null: no limit. */
  readonly requestsPerSecond: number | null;
  readonly clock: Clock;
  readonly random: () => number;
}

interface Waiter {
  admit: ((pass: number) => void) | null;
}

export class RequestGate {
  readonly #concurrency: number;
  readonly #perMs: number | null;
  readonly #burst: number;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #closing = new AbortController();
  #waiters: Waiter[] = [];
  #firstWaiter = 0;
  #inFlight = 0;
  #permits: number;
  #filledAt: number;
  #pauses = 0;
  #pausedUntil = 0;
  #step = 0;
  #isWaking = false;

  constructor(options: RequestGateOptions) {
    const perSecond = options.requestsPerSecond;
    this.#concurrency = options.concurrency;
    this.#perMs = perSecond === null ? null : perSecond / 1000;
    this.#burst = perSecond === null ? 0 : Math.max(1, Math.ceil(perSecond / 20));
    this.#clock = options.clock;
    this.#random = options.random;
    this.#permits = this.#burst;
    this.#filledAt = perSecond === null ? 0 : options.clock.now();
  }

  /**
   * Admits one request: at once (a number, so that the usual case costs no promise) or later.
   * Each admission needs one `leave`.
   *
   * @returns the pass to hand back with `rateLimited` and `served`, or NOT_ADMITTED
   */
  enter(signal?: AbortSignal): number | Promise<number> {
    if (signal?.aborted || this.#closing.signal.aborted) {
      return NOT_ADMITTED;
    }
    if (this.#firstWaiter === this.#waiters.length && this.#hasRoom() && this.#delayMs() === 0) {
      return this.#admit();
    }
    return new Promise((resolve) => {
      const waiter: Waiter = { admit: resolve };
      if (signal !== undefined) {
        const giveUp = () => {
          waiter.admit = null;
          resolve(NOT_ADMITTED);
        };
        signal.addEventListener("abort", giveUp, { once: true });
        waiter.admit = (pass) => {
          signal.removeEventListener("abort", giveUp);
          resolve(pass);
        };
      }
      this.#waiters.push(waiter);
      this.#pump();
    });
  }

  /** A request is over, whatever its end. */
  leave(): void {
    this.#inFlight -= 1;
    if (this.#firstWaiter < this.#waiters.length) {
      this.#pump();
    }
  }

  /** A 429 came to the request that entered with this pass. */
  rateLimited(pass: number, retryAfterMs: number | null): void {
    const now = this.#clock.now();
    if (pass === this.#pauses) {
      this.#pauses += 1;
      this.#step += 1;
      // "0" means at once, but a gateway that says so twice in a row does not mean it.
      const isUsable = retryAfterMs !== null && (retryAfterMs > 0 || this.#step === 1);
      this.#pausedUntil = now + (isUsable ? retryAfterMs : callBackoffMs(this.#step, this.#random()));
    } else if (retryAfterMs !== null) {
      this.#pausedUntil = Math.max(this.#pausedUntil, now + retryAfterMs);
    }
  }

  /** An answer that was no 429 came: if it was asked for after the last pause, the next event is a first one again. */
  served(pass: number): void {
    if (pass === this.#pauses) {
      this.#step = 0;
    }
  }

  /** Turns away whoever waits and whoever comes. */
  close(): void {
    this.#closing.abort();
    for (const waiter of this.#waiters.splice(this.#firstWaiter)) {
      waiter.admit?.(NOT_ADMITTED);
    }
    this.#waiters = [];
    this.#firstWaiter = 0;
  }

  #hasRoom(): boolean {
    return this.#inFlight < this.#concurrency;
  }

  #admit(): number {
    this.#inFlight += 1;
    if (this.#perMs !== null) {
      this.#permits -= 1;
    }
    return this.#pauses;
  }

  /** Lets in whoever may enter now, and sees to it that somebody looks again when the next one may. */
  #pump(): void {
    while (this.#firstWaiter < this.#waiters.length && this.#hasRoom()) {
      const waiter = this.#waiters[this.#firstWaiter] as Waiter;
      if (waiter.admit !== null) {
        const delayMs = this.#delayMs();
        if (delayMs > 0) {
          void this.#wakeIn(delayMs);
          return;
        }
      }
      this.#firstWaiter += 1;
      waiter.admit?.(this.#admit());
    }
    // Moving the rest to the front only once the empty part is the larger one keeps each step O(1) on average.
    if (this.#firstWaiter > 1024 && this.#firstWaiter * 2 > this.#waiters.length) {
      this.#waiters = this.#waiters.slice(this.#firstWaiter);
      this.#firstWaiter = 0;
    }
  }

  async #wakeIn(delayMs: number): Promise<void> {
    if (this.#isWaking) {
      return;
    }
    this.#isWaking = true;
    await this.#clock.sleep(delayMs, this.#closing.signal);
    this.#isWaking = false;
    this.#pump();
  }

  /** How long until pause and rate let one more in; 0 is now. */
  #delayMs(): number {
    if (this.#perMs === null && this.#pausedUntil === 0) {
      return 0;
    }
    const now = this.#clock.now();
    if (this.#pausedUntil > now) {
      // Never longer than the longest pause there is: the clock may have been set back in the meantime.
      this.#pausedUntil = Math.min(this.#pausedUntil, now + MAX_RETRY_AFTER_MS);
      return this.#pausedUntil - now;
    }
    this.#pausedUntil = 0;
    if (this.#perMs === null) {
      return 0;
    }
    this.#permits = Math.min(this.#burst, this.#permits + Math.max(0, now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
    return this.#permits >= 1 ? 0 : Math.ceil((1 - this.#permits) / this.#perMs);
  }
}
