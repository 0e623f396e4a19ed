import { EventEmitter } from "node:events";
import type { Worker as Thread } from "node:worker_threads";
import type { EmbeddedAnswer, EmbeddedQuery } from "./embedded-messages.ts";

type Rows = { rows: never[] };

interface Waiting {
  readonly resolve: (result: Rows) => void;
  readonly reject: (error: Error) => void;
}

/**
 * What BullMQ's PostgreSQL backend asks of a `pg.Pool`, answered by the embedded database's thread. PGlite's own socket
 * server is not used: it hands a NOTIFY to whichever connection happens to be running, so a waiting worker would not wake,
 * and it interleaves the messages of prepared statements that share one session.
 */
export class EmbeddedPool {
  /** Tells BullMQ that a lost connection would be noticed, so that an idle worker need not poll. */
  readonly options = { keepAlive: true };
  readonly #thread: Thread;
  readonly #waiting = new Map<number, Waiting>();
  readonly #clients = new Set<EmbeddedClient>();
  #nextId = 1;
  #failure: Error | null = null;

  constructor(thread: Thread) {
    this.#thread = thread;
    thread.on("message", (answer: EmbeddedAnswer) => this.#take(answer));
  }

  query(text: string, params: readonly unknown[] = []): Promise<Rows> {
    if (this.#failure !== null) {
      return Promise.reject(this.#failure);
    }
    return new Promise((resolve, reject) => {
      const id = this.#nextId;
      this.#nextId += 1;
      this.#waiting.set(id, { resolve, reject });
      this.#thread.postMessage({ id, text, params: [...params] } satisfies EmbeddedQuery);
    });
  }

  /** A client of its own, for BullMQ to hear notifications on. There is one session all the same. */
  async connect(): Promise<EmbeddedClient> {
    const client = new EmbeddedClient(this, () => this.#clients.delete(client));
    this.#clients.add(client);
    return client;
  }

  /** Everything that waits fails with this, and everything that comes. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const waiting of this.#waiting.values()) {
      waiting.reject(error);
    }
    this.#waiting.clear();
  }

  async end(): Promise<void> {}

  on(): this {
    return this;
  }

  removeAllListeners(): this {
    return this;
  }

  #take(answer: EmbeddedAnswer): void {
    switch (answer.kind) {
      case "ready":
        return;
      case "notification":
        for (const client of this.#clients) {
          client.emit("notification", { channel: answer.channel, payload: answer.payload });
        }
        return;
      case "rows":
        this.#settle(answer.id)?.resolve({ rows: answer.rows as never[] });
        return;
      case "error":
        this.#settle(answer.id)?.reject(Object.assign(new Error(answer.error.message), answer.error));
        return;
      default:
        answer satisfies never;
    }
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

/** What BullMQ asks of a `pg.PoolClient`. */
class EmbeddedClient extends EventEmitter {
  readonly #pool: EmbeddedPool;
  readonly #onRelease: () => void;

  constructor(pool: EmbeddedPool, onRelease: () => void) {
    super();
    this.#pool = pool;
    this.#onRelease = onRelease;
  }

  query(text: string, params?: readonly unknown[]): Promise<Rows> {
    return this.#pool.query(text, params);
  }

  release(): void {
    this.#onRelease();
  }
}
