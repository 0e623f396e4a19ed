/**
 * The gate that every request passes: at most `concurrency` are past it; not more of them enter than the rate allows; and
 * after a 429 nobody enters until the pause is over.
 *
 * Requests for content go first, everything else in the order in which it came. A token lives from its issue, so a content
 * that waits behind the tokens of other pages may find its own expired; one that goes first waits at most for the contents
 * before it, of which there are about as many as tokens were under way. Since each content needs a token first, contents
 * cannot keep the others out for long; one of the others in `CONTENTS_IN_A_ROW + 1` passes all the same. For the same reason no
 * token is asked for while contents that a 429 turned away have not come back.
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
import { type Waiter, WaitingLine } from "./waiting-line.ts";

/** What a request is, as far as its turn goes. */
export type Passenger = "content" | "token" | "other";

/** So many contents may go before somebody else who waits. */
export const CONTENTS_IN_A_ROW = 32;

/** A content that a 429 turned away is expected back this long after the pause; tokens wait for it no longer than that. */
export const LIMITED_CONTENT_GRACE_MS = 10_000;

/** What `enter` gives to a request that may not be sent: its signal was aborted, or the gate was closed. */
export const NOT_ADMITTED = -1;

export interface RequestGateOptions {
  readonly concurrency: number;
  /** null: no limit. */
  readonly requestsPerSecond: number | null;
  readonly clock: Clock;
  readonly random: () => number;
}

export class RequestGate {
  readonly #concurrency: number;
  readonly #perMs: number | null;
  readonly #burst: number;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #closing = new AbortController();
  readonly #contents = new WaitingLine();
  readonly #tokens = new WaitingLine();
  readonly #others = new WaitingLine();
  #turns = 0;
  #contentsInARow = 0;
  /** Contents that a 429 turned away and that have not come back. */
  #contentsOwed = 0;
  /** When they are waited for no longer. */
  #owedUntil = 0;
  #inFlight = 0;
  #permits: number;
  #filledAt: number;
  #pauses = 0;
  #pausedUntil = 0;
  #step = 0;
  /** When somebody looks again; Infinity: nobody will. */
  #wakeAt = Number.POSITIVE_INFINITY;

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
  enter(signal?: AbortSignal, passenger: Passenger = "other"): number | Promise<number> {
    if (signal?.aborted || this.#closing.signal.aborted) {
      return NOT_ADMITTED;
    }
    if (passenger === "content" && this.#contentsOwed > 0) {
      this.#contentsOwed -= 1;
    }
    const isHeld = passenger === "token" && this.#tokensHeldMs() > 0;
    if (!isHeld && this.#hasRoom() && this.#next() === null && this.#delayMs() === 0) {
      return this.#admit();
    }
    return new Promise((resolve) => {
      const waiter: Waiter = { admit: resolve, turn: this.#turns++ };
      if (signal !== undefined) {
        const abandon = () => {
          waiter.admit = null;
          resolve(NOT_ADMITTED);
        };
        signal.addEventListener("abort", abandon, { once: true });
        waiter.admit = (pass) => {
          signal.removeEventListener("abort", abandon);
          resolve(pass);
        };
      }
      this.#lineOf(passenger).push(waiter);
      this.#pump();
    });
  }

  /** A request is over, whatever its end. */
  leave(): void {
    this.#inFlight -= 1;
    this.#pump();
  }

  /** A 429 came to the request that entered with this pass. */
  rateLimited(pass: number, retryAfterMs: number | null, passenger: Passenger = "other"): void {
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
    if (passenger === "content") {
      this.#contentsOwed += 1;
      this.#owedUntil = Math.max(now, this.#pausedUntil) + LIMITED_CONTENT_GRACE_MS;
    }
  }

  /** An answer that was not a 429 came: if it was asked for after the last pause, the next event is a first one again. */
  served(pass: number): void {
    if (pass === this.#pauses) {
      this.#step = 0;
    }
  }

  /** Turns away whoever waits and whoever comes. */
  close(): void {
    this.#closing.abort();
    for (const line of [this.#contents, this.#tokens, this.#others]) {
      for (const waiter of line.drain()) {
        waiter.admit?.(NOT_ADMITTED);
      }
    }
  }

  #lineOf(passenger: Passenger): WaitingLine {
    return passenger === "content" ? this.#contents : passenger === "token" ? this.#tokens : this.#others;
  }

  /** The line whose first one is next; null when nobody waits who may enter. */
  #next(): WaitingLine | null {
    const other = this.#nextOther();
    const isContent = this.#contents.peek() !== null && (other === null || this.#contentsInARow < CONTENTS_IN_A_ROW);
    return isContent ? this.#contents : other;
  }

  #nextOther(): WaitingLine | null {
    const other = this.#others.peek();
    const token = this.#tokens.peek();
    if (token === null || (other !== null && other.turn < token.turn) || this.#tokensHeldMs() > 0) {
      return other === null ? null : this.#others;
    }
    return this.#tokens;
  }

  /** How long tokens still wait for the contents that were turned away; 0 is not at all. */
  #tokensHeldMs(): number {
    if (this.#contentsOwed === 0) {
      return 0;
    }
    const now = this.#clock.now();
    // Never longer than from a pause that begins now: the clock may have been set back in the meantime.
    this.#owedUntil = Math.min(this.#owedUntil, now + MAX_RETRY_AFTER_MS + LIMITED_CONTENT_GRACE_MS);
    if (this.#owedUntil <= now) {
      this.#contentsOwed = 0;
      return 0;
    }
    return this.#owedUntil - now;
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
    while (this.#hasRoom()) {
      const line = this.#next();
      if (line === null) {
        if (this.#tokens.peek() !== null) {
          void this.#wakeIn(this.#tokensHeldMs());
        }
        return;
      }
      const delayMs = this.#delayMs();
      if (delayMs > 0) {
        void this.#wakeIn(delayMs);
        return;
      }
      this.#contentsInARow = line === this.#contents ? this.#contentsInARow + 1 : 0;
      const waiter = line.peek();
      line.shift();
      waiter?.admit?.(this.#admit());
    }
  }

  async #wakeIn(delayMs: number): Promise<void> {
    const wakeAt = this.#clock.now() + delayMs;
    if (this.#wakeAt <= wakeAt) {
      return;
    }
    this.#wakeAt = wakeAt;
    await this.#clock.sleep(delayMs, this.#closing.signal);
    if (this.#wakeAt === wakeAt) {
      this.#wakeAt = Number.POSITIVE_INFINITY;
    }
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
