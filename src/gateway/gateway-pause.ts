/**
 * The pause after a 429. A rate-limit *event* is one pause, however many 429s belong to it: each request keeps the number of pauses at its start, and
 * its 429 begins a new event only when no pause has begun since. 64 answers in flight are therefore one step of backoff. A late 429 can still lengthen
 * the pause with its own Retry-After.
 */
import type { Clock } from "../time/clock.ts";
import { callBackoffMs, MAX_RETRY_AFTER_MS } from "./backoff.ts";

/** A rest that is heard of twice has become this much shorter on the way at most. */
const SAME_REST_MS = 50;

export class GatewayPause {
  readonly #clock: Pick<Clock, "now">;
  readonly #random: () => number;
  #count = 0;
  /** 0: there is none. */
  #until = 0;
  #step = 0;

  constructor(clock: Pick<Clock, "now">, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** How many have begun: the pass of a request that starts now. */
  get count(): number {
    return this.#count;
  }

  /** Epoch ms. */
  get until(): number {
    return this.#until;
  }

  /** The request with this pass got a 429. */
  begin(pass: number, retryAfterMs: number | null): void {
    const now = this.#clock.now();
    if (pass === this.#count) {
      this.#count += 1;
      this.#step += 1;
      // "0" means at once, but a gateway that sends it twice in a row does not mean that.
      const isUsable = retryAfterMs !== null && (retryAfterMs > 0 || this.#step === 1);
      this.#until = now + (isUsable ? retryAfterMs : callBackoffMs(this.#step, this.#random()));
    } else if (retryAfterMs !== null) {
      this.#until = Math.max(this.#until, now + retryAfterMs);
    }
  }

  /** Another process was asked for it. @returns false for a rest that is known */
  rest(ms: number): boolean {
    const isKnown = ms <= this.leftMs() + SAME_REST_MS;
    this.#until = isKnown ? this.#until : this.#clock.now() + ms;
    return !isKnown;
  }

  /** An answer other than 429 arrived. When its request started after the last pause, the next event is a first one again. */
  served(pass: number): void {
    this.#step = pass === this.#count ? 0 : this.#step;
  }

  /** How long it still lasts, ms. Never longer than the longest pause, because the clock may have been set back meanwhile. */
  leftMs(): number {
    if (this.#until === 0) {
      return 0;
    }
    const now = this.#clock.now();
    this.#until = this.#until > now ? Math.min(this.#until, now + MAX_RETRY_AFTER_MS) : 0;
    return Math.max(0, this.#until - now);
  }
}
