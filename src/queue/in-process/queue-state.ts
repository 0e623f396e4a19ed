import { EventStream } from "./event-stream.ts";
import type { JobPlace, JobRecord } from "./job-record.ts";
import { RankedIds } from "./ranked-ids.ts";
import { WakeMarker } from "./wake-marker.ts";

/** A job scheduler: what BullMQ keeps of it, all as text, and when its next job is due. */
export interface SchedulerRecord {
  readonly fields: Map<string, string>;
  readonly nextAt: number;
}

/** Delayed jobs of one millisecond keep the order in which they came: so many fit between two milliseconds' ranks. */
const DELAYED_PER_MS = 4_096;
/** A priority's jobs keep their order: its rank, times this, plus a counter. */
const RANKS_PER_PRIORITY = 2 ** 32;

/**
 * Everything that one queue of the embedded backend holds, for as long as its process lives. The files beside this one are the
 * operations on it; each changes it in one go, without waiting, so that no other call sees it half done.
 */
export class QueueState {
  readonly jobs = new Map<string, JobRecord>();
  /** `wait` has its next job first; the rank of `delayed` is its time, of `prioritized` its priority, of the finished their end. */
  readonly places: Readonly<Record<JobPlace, RankedIds>> = {
    wait: new RankedIds(),
    prioritized: new RankedIds(),
    active: new RankedIds(),
    delayed: new RankedIds(),
    completed: new RankedIds(),
    failed: new RankedIds(),
  };
  readonly meta = new Map<string, string>();
  readonly schedulers = new Map<string, SchedulerRecord>();
  readonly marker = new WakeMarker();
  readonly events: EventStream;
  /** Active jobs that were there when stalled ones were last looked for, and whose lock nobody has renewed since. */
  readonly stallCandidates = new Set<string>();
  /** No stalled job is looked for before. */
  stallCheckAt = 0;
  /** Names of the workers and listeners that are connected, as often as they are. */
  readonly clientNames: string[] = [];
  readonly now: () => number;
  #lastJobNumber = 0;
  #lastPriorityNumber = 0;

  constructor(now: () => number) {
    this.now = now;
    this.events = new EventStream(now);
  }

  /** Counts every job that is added, also those with an id of their own. */
  nextJobNumber(): number {
    this.#lastJobNumber += 1;
    return this.#lastJobNumber;
  }

  /** No job may start: the queue is paused, or as many run as its global concurrency allows. */
  isBlocked(): boolean {
    return this.meta.has("paused") || this.isMaxed();
  }

  isMaxed(): boolean {
    const concurrency = this.meta.get("concurrency");
    return concurrency !== undefined && this.places.active.size >= Number(concurrency);
  }

  /** Takes a job out of where it is, and wherever it goes next puts it there. */
  leavePlace(job: JobRecord): void {
    this.places[job.place].delete(job.id);
  }

  /** Behind all others that wait, or before them; among the prioritized if it has a priority. */
  enqueue(job: JobRecord, atFront = false): void {
    if (job.priority > 0) {
      this.#lastPriorityNumber += 1;
      job.place = "prioritized";
      this.places.prioritized.set(job.id, job.priority * RANKS_PER_PRIORITY + this.#lastPriorityNumber);
    } else {
      this.enqueueUnprioritized(job, atFront);
    }
    this.wakeWorker();
  }

  /** Among those that wait without a priority, whatever its own is. */
  enqueueUnprioritized(job: JobRecord, atFront: boolean): void {
    job.place = "wait";
    if (atFront) {
      this.places.wait.addFirst(job.id);
    } else {
      this.places.wait.addLast(job.id);
    }
  }

  /** Before the others of its priority: a job that was taken and given back. */
  enqueueBeforePeers(job: JobRecord): void {
    job.place = "prioritized";
    this.places.prioritized.set(job.id, job.priority * RANKS_PER_PRIORITY);
  }

  countOfPriority(priority: number): number {
    const { prioritized } = this.places;
    return prioritized.countBetween(priority * RANKS_PER_PRIORITY, (priority + 1) * RANKS_PER_PRIORITY);
  }

  wakeWorker(): void {
    if (!this.isBlocked()) {
      this.marker.markJobReady();
    }
  }

  /** @returns when the job is due */
  delay(job: JobRecord, fromAt: number, delayMs: number): number {
    const { delayed } = this.places;
    const dueAt = delayMs > 0 ? fromAt + delayMs : fromAt;
    const firstRank = dueAt * DELAYED_PER_MS;
    const lastRank = firstRank + DELAYED_PER_MS - 1;
    const before = delayed.lastBelow(lastRank + 1)?.rank ?? Number.NEGATIVE_INFINITY;
    job.delay = delayMs;
    job.place = "delayed";
    delayed.set(job.id, Math.min(Math.max(firstRank, before + 1), lastRank));
    return dueAt;
  }

  /** When the next delayed job is due, or null. */
  nextDelayedAt(): number | null {
    const first = this.places.delayed.first();
    return first === undefined ? null : Math.floor(first.rank / DELAYED_PER_MS);
  }

  /** The delayed jobs that are due at this time, first to last. */
  delayedUntil(at: number, limit: number): string[] {
    return this.places.delayed.upTo((at + 1) * DELAYED_PER_MS - 1, limit);
  }

  countDelayedBefore(at: number): number {
    return this.places.delayed.countBetween(0, at * DELAYED_PER_MS);
  }

  markNextDelayed(): void {
    const nextAt = this.nextDelayedAt();
    if (nextAt !== null) {
      this.marker.markDelayed(nextAt);
    }
  }

  /** A job and all that is known of it. */
  forget(job: JobRecord): void {
    this.leavePlace(job);
    this.jobs.delete(job.id);
    this.stallCandidates.delete(job.id);
  }

  /** As if the queue had never been there; who waits for a job goes on waiting. */
  reset(): void {
    for (const place of Object.values(this.places)) {
      for (const id of place.ids()) {
        place.delete(id);
      }
    }
    this.jobs.clear();
    this.meta.clear();
    this.schedulers.clear();
    this.stallCandidates.clear();
    this.stallCheckAt = 0;
    this.marker.clear();
    this.events.clear();
    this.#lastJobNumber = 0;
    this.#lastPriorityNumber = 0;
  }
}
