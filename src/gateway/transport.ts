/**
 * The wire: one undici pool to one origin, HTTP/1.1, one request at a time on each connection.
 *
 * Deadlines are counted in ticks of one sweep for all requests. That costs a request two number comparisons instead of
 * timers, and a process that was busy or asleep for a while finds its ticks missing instead of its requests expired.
 *
 * undici on its own never sends a request twice here: with one request per connection, one that was written when its
 * connection died is failed, and one that was not yet written goes to a new connection (exchange.ts guards it, and the
 * tests prove it with servers that hang up). A connection that a server closed while it was idle is noticed before the
 * next request is written to it.
 */
import { Pool } from "undici";
import { Exchange, type ExchangeLimits, type WireAnswer, type WireRequest } from "./exchange.ts";

/** An answer may take this many times the idle timeout in all: else a byte now and then would hold a slot for ever. */
const TOTAL_TIMEOUT_FACTOR = 4;

/** The sweep's beat: fine enough for the timeout, and never so fine that it is felt. */
const TICKS_PER_TIMEOUT = 20;
const MIN_TICK_MS = 10;
const MAX_TICK_MS = 500;

/** What carries requests to the gateway. The client's own is `Transport`; a simulated one puts a simulated world behind it. */
export interface Wire {
  /** Sends once. Never rejects; redirects are answers like any other. */
  send(request: WireRequest, signal?: AbortSignal): Promise<WireAnswer>;
  /** Cuts every connection; requests under way end as aborted. */
  close(): Promise<void>;
}

export interface TransportOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** Until the first byte of an answer, and between two pieces of it. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

export class Transport implements Wire {
  readonly #pool: Pool;
  readonly #limits: ExchangeLimits;
  readonly #tickMs: number;
  /**
   * An array with swap removal instead of a Set: the old tables of a Set that turns over with each request kept finished
   * exchanges alive into the old generation, and the collector took a fifth of the time of a page.
   */
  readonly #inFlight: Exchange[] = [];
  readonly #readTick = () => this.#tick;
  readonly #forget = (exchange: Exchange) => {
    const last = this.#inFlight.pop();
    if (last !== undefined && last !== exchange) {
      this.#inFlight[exchange.index] = last;
      last.index = exchange.index;
    }
  };
  #tick = 0;
  #sweep: NodeJS.Timeout | null = null;

  constructor(options: TransportOptions) {
    this.#tickMs = Math.min(MAX_TICK_MS, Math.max(MIN_TICK_MS, Math.floor(options.timeoutMs / TICKS_PER_TIMEOUT)));
    const idleTicks = Math.ceil(options.timeoutMs / this.#tickMs);
    this.#limits = {
      maxBytes: options.maxAnswerBytes,
      idleTicks,
      totalTicks: idleTicks * TOTAL_TIMEOUT_FACTOR,
    };
    this.#pool = new Pool(options.origin, {
      connections: options.connections,
      pipelining: 1,
      allowH2: false,
      connect: { timeout: options.connectTimeoutMs },
      // The sweep does both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  send(request: WireRequest, signal?: AbortSignal): Promise<WireAnswer> {
    return new Promise((resolve) => {
      const exchange = new Exchange(this.#limits, this.#readTick, this.#forget, resolve);
      exchange.index = this.#inFlight.push(exchange) - 1;
      this.#sweep ??= this.#startSweep();
      if (signal !== undefined) {
        this.#watch(exchange, signal);
      }
      this.#pool.dispatch(
        {
          method: request.method,
          path: request.path,
          headers: request.headers,
          body: request.body,
          // Also for GET: undici may move an idempotent request only; what may be repeated is not its decision.
          idempotent: false,
        },
        exchange,
      );
    });
  }

  async close(): Promise<void> {
    for (const exchange of [...this.#inFlight]) {
      exchange.stop("aborted", "the client was closed");
    }
    this.#stopSweep();
    await this.#pool.destroy();
  }

  #watch(exchange: Exchange, signal: AbortSignal): void {
    const stop = () => exchange.stop("aborted", "the request was aborted");
    signal.addEventListener("abort", stop, { once: true });
    exchange.whenOver(() => signal.removeEventListener("abort", stop));
  }

  #startSweep(): NodeJS.Timeout {
    return setInterval(() => {
      this.#tick += 1;
      // From the end, since one that is over puts the last one in its own place.
      for (let index = this.#inFlight.length - 1; index >= 0; index -= 1) {
        this.#inFlight[index]?.checkDeadlines();
      }
      if (this.#inFlight.length === 0) {
        this.#stopSweep();
      }
    }, this.#tickMs).unref();
  }

  #stopSweep(): void {
    if (this.#sweep !== null) {
      clearInterval(this.#sweep);
      this.#sweep = null;
    }
  }
}
