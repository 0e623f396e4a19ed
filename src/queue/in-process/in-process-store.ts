import { setImmediate as nextTurn } from "node:timers/promises";
import { QueueState } from "./queue-state.ts";

/** So many calls in a row are answered before the event loop gets a turn. */
const CALLS_PER_TURN = 64;

/**
 * The queues of one `queue.url: embedded`, by name. It is what BullMQ's classes are given as their connection: those with the same
 * store and the same name share a queue, and all of it is gone when the store is.
 */
export class InProcessStore {
  readonly #queues = new Map<string, QueueState>();
  readonly #now: () => number;
  #calls = 0;

  /** @param now for tests that move the time; BullMQ itself always goes by the system's */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  queue(name: string): QueueState {
    const known = this.#queues.get(name);
    if (known !== undefined) {
      return known;
    }
    const created = new QueueState(this.#now);
    this.#queues.set(name, created);
    return created;
  }

  /**
   * Called before each answer. Without sockets, callers that ask again and again would go on in one turn of the event loop, and no
   * timer and no answer of the gateway would ever be heard.
   */
  async shareTurn(): Promise<void> {
    this.#calls += 1;
    if (this.#calls % CALLS_PER_TURN === 0) {
      await nextTurn();
    }
  }
}
