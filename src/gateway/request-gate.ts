/**
 * The gate in front of every request. At most `concurrency` requests are in flight, they start at most at the configured rate,
 * and none starts during the pause after a 429.
 *
 * Requests for content go first, all others in their order of arrival. A token expires some time after its issue, so content that
 * waits behind the tokens of other pages could find its own token expired. Content that goes first waits at most for the contents
 * before it, about as many as tokens were in flight. Each content needs a token first, so contents cannot block the other
 * requests for long. In addition, one other request goes after `CONTENTS_IN_A_ROW` contents. For the same reason no token is
 * requested while contents that got a 429 have not returned, as long as their tokens live. Content whose token expired while it
 * waited, for example during a long pause, is not sent.
 */
import { type Clock, elapsedMs } from "../time/clock.ts";
import { MAX_RETRY_AFTER_MS } from "./backoff.ts";
import type { RequestLimits, RequestShare } from "./gateway.ts";
import { GatewayPause } from "./gateway-pause.ts";
import { TokenBucket } from "./token-bucket.ts";
import { type Waiter, WaitingLine } from "./waiting-line.ts";
import { toWholeShare } from "./whole-share.ts";

/** The kind of a request, which decides its turn. */
export type RequestClass = "content" | "token" | "other";

/** After this many contents in a row, one other waiting request goes. */
export const CONTENTS_IN_A_ROW = 32;

/** Content that got a 429 is expected back within this time after the pause. Tokens wait for it no longer than that. */
export const LIMITED_CONTENT_GRACE_MS = 10_000;

/**
 * A request that was given up keeps its place for so long, in ms: the gateway works on it until it hears that its connection was closed. A way across
 * the network takes less.
 */
export const GIVEN_UP_MS = 500;

/** The result of `enter` for a request that must not be sent: its signal was aborted, or the gate was closed. */
export const NOT_ADMITTED = -1;

/** The result of `enter` for a request whose time was over before its turn came. It must not be sent. */
export const EXPIRED = -2;

/** What the gate knows of a request. */
export interface GatedRequest {
  /** @default "other" */
  readonly requestClass?: RequestClass | undefined;
  /** When its token expires, epoch ms. @default null: never */
  readonly expiresAt?: number | null | undefined;
}

export interface RequestGateOptions {
  readonly concurrency: number;
  /** Null: no limit. */
  readonly requestsPerSecond: number | null;
  readonly clock: Clock;
  readonly random: () => number;
}

export class RequestGate implements RequestLimits {
  #concurrency: number;
  #shareUntilMs = Number.POSITIVE_INFINITY;
  readonly #bucket: TokenBucket;
  readonly #restListeners = new Set<() => void>();
  readonly #clock: Clock;
  readonly #pause: GatewayPause;
  readonly #closing = new AbortController();
  readonly #contents = new WaitingLine();
  readonly #tokens = new WaitingLine();
  readonly #others = new WaitingLine();
  #turns = 0;
  #contentsInARow = 0;
  /** Contents that got a 429 and have not returned. */
  #limitedContents = 0;
  /** The time until which tokens wait for these contents. */
  #limitedContentsUntil = 0;
  #inFlight = 0;
  /** The time of the next scheduled check; Infinity: none is scheduled. */
  #wakeAt = Number.POSITIVE_INFINITY;

  constructor(options: RequestGateOptions) {
    this.#concurrency = options.concurrency;
    this.#bucket = new TokenBucket(options.requestsPerSecond, toWholeShare(options).burst, options.clock.now);
    this.#clock = options.clock;
    this.#pause = new GatewayPause(options.clock, options.random);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  setShare({ concurrency, requestsPerSecond, burst }: RequestShare, untilMs = Number.POSITIVE_INFINITY): void {
    this.#concurrency = concurrency;
    this.#shareUntilMs = untilMs;
    this.#bucket.setRate(requestsPerSecond, burst, this.#clock.now());
    this.#wakeAt = Number.POSITIVE_INFINITY;
    this.#admitWaiting();
  }

  rest(ms: number): boolean {
    return this.#pause.rest(ms);
  }

  onRest(listener: () => void): () => void {
    this.#restListeners.add(listener);
    return () => this.#restListeners.delete(listener);
  }

  /**
   * Admits one request, at once or later. The immediate result is a number, so that the usual case needs no promise. Each
   * admission needs one `leave` or `giveUp`.
   *
   * @returns the pass for `rateLimited` and `served`, or NOT_ADMITTED, or EXPIRED, which need no `leave`
   */
  enter(
    signal?: AbortSignal,
    { requestClass = "other", expiresAt = null }: GatedRequest = {},
  ): number | Promise<number> {
    if (signal?.aborted || this.#closing.signal.aborted) {
      return NOT_ADMITTED;
    }
    if (requestClass === "content" && this.#limitedContents > 0) {
      this.#limitedContents -= 1;
    }
    const mustWait = requestClass === "token" && this.#tokenWaitMs() > 0;
    if (!mustWait && this.#hasRoom() && this.#next() === null && this.#delayMs() === 0) {
      return this.#admit();
    }
    return new Promise((resolve) => {
      const waiter: Waiter = {
        admit: resolve,
        turn: this.#turns++,
        expiresAt: expiresAt ?? Number.POSITIVE_INFINITY,
      };
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
      this.#lineOf(requestClass).push(waiter);
      this.#admitWaiting();
    });
  }

  /** A request has ended: its answer is here, or it was never sent. */
  leave(): void {
    this.#inFlight -= 1;
    this.#admitWaiting();
  }

  /** A request that was sent ended without an answer. It counts as in flight for `GIVEN_UP_MS` more. */
  async giveUp(): Promise<void> {
    await this.#clock.sleep(GIVEN_UP_MS, this.#closing.signal);
    this.leave();
  }

  /** The request with this pass got a 429. */
  rateLimited(
    pass: number,
    retryAfterMs: number | null,
    { requestClass = "other", expiresAt = null }: GatedRequest = {},
  ): void {
    this.#pause.begin(pass, retryAfterMs);
    if (requestClass === "content") {
      const graceUntil = Math.max(this.#clock.now(), this.#pause.until) + LIMITED_CONTENT_GRACE_MS;
      const until = Math.min(graceUntil, expiresAt ?? graceUntil);
      this.#limitedContentsUntil = this.#limitedContents === 0 ? until : Math.max(this.#limitedContentsUntil, until);
      this.#limitedContents += 1;
    }
    for (const listener of this.#restListeners) {
      listener();
    }
  }

  /** How long the pause after a 429 still lasts, in ms. 0: there is none. */
  pauseMs(): number {
    return this.#pause.leftMs();
  }

  /** An answer other than 429 arrived. When its request started after the last pause, the next event is a first one again. */
  served(pass: number): void {
    this.#pause.served(pass);
  }

  /** Rejects all waiting and all future requests. */
  close(): void {
    this.#closing.abort();
    for (const waiter of [this.#contents, this.#tokens, this.#others].flatMap((line) => line.drain())) {
      waiter.admit?.(NOT_ADMITTED);
    }
  }

  #lineOf(requestClass: RequestClass): WaitingLine {
    return requestClass === "content" ? this.#contents : requestClass === "token" ? this.#tokens : this.#others;
  }

  /** The line with the next request. Null when no waiting request may start. */
  #next(): WaitingLine | null {
    const other = this.#nextOther();
    const isContent = this.#contents.peek() !== null && (other === null || this.#contentsInARow < CONTENTS_IN_A_ROW);
    return isContent ? this.#contents : other;
  }

  #nextOther(): WaitingLine | null {
    const other = this.#others.peek();
    const token = this.#tokens.peek();
    if (token === null || (other !== null && other.turn < token.turn) || this.#tokenWaitMs() > 0) {
      return other === null ? null : this.#others;
    }
    return this.#tokens;
  }

  /** How long tokens still wait for contents that got a 429, in ms. 0: they do not wait. */
  #tokenWaitMs(): number {
    if (this.#limitedContents === 0) {
      return 0;
    }
    const now = this.#clock.now();
    // Never longer than from a pause that begins now, because the clock may have been set back meanwhile.
    this.#limitedContentsUntil = Math.min(
      this.#limitedContentsUntil,
      now + MAX_RETRY_AFTER_MS + LIMITED_CONTENT_GRACE_MS,
    );
    if (this.#limitedContentsUntil <= now) {
      this.#limitedContents = 0;
      return 0;
    }
    return this.#limitedContentsUntil - now;
  }

  #hasRoom(): boolean {
    // The clock is asked and no timer is set: when a suspended process goes on, answers come before its timers.
    return this.#inFlight < this.#concurrency && elapsedMs(this.#clock) < this.#shareUntilMs;
  }

  #admit(): number {
    this.#inFlight += 1;
    this.#bucket.take();
    return this.#pause.count;
  }

  /** Admits all requests that may start now, and schedules the next check. */
  #admitWaiting(): void {
    while (this.#hasRoom()) {
      const line = this.#next();
      if (line === null) {
        if (this.#tokens.peek() !== null) {
          void this.#wakeIn(this.#tokenWaitMs());
        }
        return;
      }
      const delayMs = this.#delayMs();
      if (delayMs > 0) {
        void this.#wakeIn(delayMs);
        return;
      }
      const waiter = line.peek();
      line.shift();
      if (waiter !== null && waiter.expiresAt <= this.#clock.now()) {
        waiter.admit?.(EXPIRED);
        continue;
      }
      this.#contentsInARow = line === this.#contents ? this.#contentsInARow + 1 : 0;
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
    this.#admitWaiting();
  }

  /** How long until pause and rate allow one more request, in ms. 0: now. */
  #delayMs(): number {
    const pauseMs = this.#pause.leftMs();
    if (pauseMs > 0 || !this.#bucket.isLimited) {
      return pauseMs;
    }
    return this.#bucket.delayMs(this.#clock.now());
  }
}
