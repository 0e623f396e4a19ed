import { Waiters } from "./waiters.ts";

/** What ends a worker's wait: a job may be there (score 0), or the next delayed one is due at `score`. BullMQ's marker. */
export interface Marker {
  readonly member: string;
  readonly score: number;
}

const JOB_READY: Marker = { member: "0", score: 0 };

/**
 * How idle workers wake: a job that is added leaves a marker, and one worker takes it at once. As in Redis, at most one marker of
 * each kind is there, and a worker that took a job leaves another one, so that the next idle worker looks too.
 */
export class WakeMarker {
  #isJobReady = false;
  #nextDelayedAt: number | null = null;
  readonly #workers = new Waiters<Marker>();

  markJobReady(): void {
    if (!this.#workers.wakeFirst(JOB_READY)) {
      this.#isJobReady = true;
    }
  }

  markDelayed(nextAt: number): void {
    this.#nextDelayedAt = this.#workers.wakeFirst(toDelayedMarker(nextAt)) ? null : nextAt;
  }

  clear(): void {
    this.#isJobReady = false;
    this.#nextDelayedAt = null;
  }

  async wait(timeoutMs: number, signal: AbortSignal): Promise<Marker | null> {
    if (signal.aborted) {
      return null;
    }
    if (this.#isJobReady) {
      this.#isJobReady = false;
      return JOB_READY;
    }
    if (this.#nextDelayedAt !== null) {
      const marker = toDelayedMarker(this.#nextDelayedAt);
      this.#nextDelayedAt = null;
      return marker;
    }
    return this.#workers.wait(timeoutMs, signal);
  }
}

function toDelayedMarker(nextAt: number): Marker {
  return { member: "1", score: nextAt };
}
