import type { SharedQueues } from "../queue/shared-queue.ts";
import { type Clock, elapsedMs } from "../time/clock.ts";

/** How often the server is asked. */
const ASK_MS = 1_000;
/** A server that has not answered for so long is away. */
const AWAY_MS = 3_000;

/** Whether the server of the queues answers. A worker that it does not answer gets no jobs, so it says that it takes none: the service then works itself. */
export class QueueWatch {
  readonly #queues: Pick<SharedQueues, "ping">;
  readonly #clock: Clock;
  #askedMs = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #isLost = false;

  constructor(queues: Pick<SharedQueues, "ping">, clock: Clock) {
    this.#queues = queues;
    this.#clock = clock;
  }

  /** Called again and again. @returns whether the server answers */
  look(): boolean {
    const nowMs = elapsedMs(this.#clock);
    if (!this.#isAsking && nowMs - this.#askedMs >= ASK_MS) {
      this.#askedMs = nowMs;
      this.#isAsking = true;
      void this.#ask();
    }
    return !this.#isLost && !(this.#isAsking && nowMs - this.#askedMs >= AWAY_MS);
  }

  async #ask(): Promise<void> {
    this.#isLost = await this.#queues.ping().then(
      () => false,
      () => true,
    );
    this.#isAsking = false;
  }
}
