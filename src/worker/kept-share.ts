/**
 * The share of the gateway's limits that a worker keeps to. Without a beat that renews it, it ends before the service deals it to others, and nothing
 * more is started.
 */
import type { RequestLimits, RequestShare } from "../gateway/gateway.ts";
import type { BeatAnswer } from "./worker-port.ts";

const NOTHING: RequestShare = { concurrency: 0, requestsPerSecond: 0, burst: 1 };

export class KeptShare {
  readonly #limits: RequestLimits;
  #leaseMs = 0;
  #share: BeatAnswer["share"] = { ...NOTHING, version: -1 };
  #confirmed = 0;
  /** By the clock for durations. */
  #untilMs = Number.NEGATIVE_INFINITY;

  constructor(limits: RequestLimits) {
    this.#limits = limits;
  }

  /** A session begins with nothing. */
  begin(leaseMs: number): void {
    this.#leaseMs = leaseMs;
    this.#share = { ...NOTHING, version: -1 };
    this.#confirmed = 0;
    this.#limits.setShare(NOTHING);
  }

  /** The version that the requests in flight are within. */
  confirm(): number {
    const { version, concurrency } = this.#share;
    if (version >= 0 && this.#limits.inFlight <= concurrency) {
      this.#confirmed = version;
    }
    return this.#confirmed;
  }

  get isConfirmed(): boolean {
    return this.#confirmed === Math.max(0, this.#share.version);
  }

  /** Requests that it allows in flight. 0: nothing is started. */
  get places(): number {
    return this.#share.concurrency;
  }

  get version(): number {
    return this.#share.version;
  }

  get restMs(): number {
    return this.#limits.pauseMs();
  }

  /** @param sentMs when the beat was sent that the answer is to: the service begins to count later */
  take({ share, restMs }: BeatAnswer, sentMs: number): void {
    this.#untilMs = Math.max(this.#untilMs, sentMs + this.#leaseMs);
    if (share.version >= this.#share.version) {
      this.#share = share;
    }
    this.#limits.setShare(this.#share, this.#untilMs);
    this.#limits.rest(restMs);
  }
}
