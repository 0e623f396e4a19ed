/**
 * The HTTP transport: connections to one origin, HTTP/1.1, one request at a time on each. A request takes the connection that was used last,
 * or a new one, so there are as many as requests were under way at once, which the gate bounds. undici's pool would look through them for each
 * request, and keep a request that comes in the turn of an answer in a line of its own.
 *
 * Deadlines are counted in ticks of one sweep over all requests. A request then needs two number comparisons instead of timers.
 * When the process was busy or suspended for longer than a tick, ticks are missing, so no request expires by that.
 *
 * undici never sends a request twice here. With one request per connection, a request that was written when its connection died
 * fails. A request that was not yet written goes to a new connection (exchange.ts guards this, and tests prove it with servers
 * that close connections). A connection that the server closed while it was idle is detected before the next request is written.
 */

import { Connection, createConnect } from "./connection.ts";
import { Exchange, type ExchangeLimits, type WireAnswer, type WireRequest } from "./exchange.ts";

/**
 * A whole answer may take this many times the idle timeout. Otherwise a server that sends single bytes could occupy a slot for
 * ever.
 */
const TOTAL_TIMEOUT_FACTOR = 4;

/** How often the sweep runs within one timeout: exact enough, and too seldom to cost time. */
const TICKS_PER_TIMEOUT = 20;
const MIN_TICK_MS = 10;
const MAX_TICK_MS = 500;

/** A timeout in ticks of the sweep. */
function toTicks(timeoutMs: number) {
  const tickMs = Math.min(MAX_TICK_MS, Math.max(MIN_TICK_MS, Math.floor(timeoutMs / TICKS_PER_TIMEOUT)));
  const idleTicks = Math.ceil(timeoutMs / tickMs);
  return { tickMs, idleTicks, totalTicks: idleTicks * TOTAL_TIMEOUT_FACTOR };
}

/**
 * No request is under way for longer, from its beginning to the last byte of its answer: the deadline, the tick that finds it passed, and what this tick
 * may be late. A process that stands still for a tick or more ends its requests later by as long as it stood still (decision 0122). It sends none so late
 * that it had not sent before.
 */
export function longestAnswerMs(timeoutMs: number): number {
  const { tickMs, totalTicks } = toTicks(timeoutMs);
  return (totalTicks + 2) * tickMs;
}

/** Carries requests to the gateway. `Transport` is the real one. A simulation supplies its own. */
export interface Wire {
  /** Sends the request once. Never rejects. A redirect is an answer like any other. */
  send(request: WireRequest, signal?: AbortSignal): Promise<WireAnswer>;
  /** Resolves when every answer that is here by now has ended its request. */
  received(): Promise<void>;
  /** Closes every connection. Requests in flight end as aborted. */
  close(): Promise<void>;
}

export interface TransportOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly connectTimeoutMs: number;
  /** The time until the first byte of an answer, and between two pieces of it. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

export class Transport implements Wire {
  readonly #connect: () => Connection;
  readonly #connections = new Set<Connection>();
  /** Those without a request. */
  readonly #free: Connection[] = [];
  readonly #limits: ExchangeLimits;
  readonly #tickMs: number;
  /**
   * An array with swap removal instead of a Set. A Set that changes with each request left old tables that kept finished
   * exchanges in the old generation, and garbage collection took a fifth of the time of a page.
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
  /** One for all answers of a turn of the event loop. */
  #received: Promise<void> | null = null;

  constructor(options: TransportOptions) {
    const { tickMs, ...ticks } = toTicks(options.timeoutMs);
    this.#tickMs = tickMs;
    this.#limits = { maxBytes: options.maxAnswerBytes, unsentMs: longestAnswerMs(options.timeoutMs), ...ticks };
    const connect = createConnect(options.connectTimeoutMs);
    this.#connect = () => {
      const connection = new Connection(options.origin, connect);
      this.#connections.add(connection);
      return connection;
    };
  }

  send(request: WireRequest, signal?: AbortSignal): Promise<WireAnswer> {
    return new Promise((resolve) => {
      const connection = this.#free.pop() ?? this.#connect();
      const exchange = new Exchange(this.#limits, this.#readTick, this.#forget, (answer) => {
        this.#leave(connection, answer);
        resolve(answer);
      });
      exchange.index = this.#inFlight.push(exchange) - 1;
      this.#sweep ??= this.#sweepAt(performance.now() + this.#tickMs);
      if (signal !== undefined) {
        this.#watch(exchange, signal);
      }
      connection.send(request, exchange);
    });
  }

  received(): Promise<void> {
    this.#received ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#received = null;
        resolve();
      });
    });
    return this.#received;
  }

  async close(): Promise<void> {
    const connections = [...this.#connections];
    for (const exchange of [...this.#inFlight]) {
      exchange.stop("aborted", "the client was closed");
    }
    this.#stopSweep();
    await Promise.all(connections.map((connection) => connection.close()));
  }

  #leave(connection: Connection, answer: WireAnswer): void {
    if (answer.kind === "answered") {
      this.#free.push(connection);
    } else {
      // It may still be connecting, or an answer may still come.
      this.#connections.delete(connection);
      void connection.reset();
    }
  }

  #watch(exchange: Exchange, signal: AbortSignal): void {
    const stop = () => exchange.stop("aborted", "the request was aborted");
    signal.addEventListener("abort", stop, { once: true });
    exchange.whenOver(() => signal.removeEventListener("abort", stop));
  }

  /** An interval would add up what each of its ticks is late, and every request would have that time besides. */
  #sweepAt(dueMs: number): NodeJS.Timeout {
    const sweep = () => {
      const lateMs = performance.now() - dueMs;
      if (lateMs < 0) {
        // Timers count from when the turn began in which they were set.
        this.#sweep = this.#sweepAt(dueMs);
        return;
      }
      this.#tick += 1;
      // Backwards, because an exchange that ends is replaced by the last one.
      for (let index = this.#inFlight.length - 1; index >= 0; index -= 1) {
        this.#inFlight[index]?.checkDeadlines();
      }
      const nextMs = dueMs + (lateMs < this.#tickMs ? 0 : lateMs) + this.#tickMs;
      this.#sweep = this.#inFlight.length === 0 ? null : this.#sweepAt(nextMs);
    };
    return setTimeout(sweep, Math.max(0, dueMs - performance.now())).unref();
  }

  #stopSweep(): void {
    if (this.#sweep !== null) {
      clearTimeout(this.#sweep);
      this.#sweep = null;
    }
  }
}
