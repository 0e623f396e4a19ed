import type { StreamReadRaw } from "bullmq";
import { Waiters } from "./waiters.ts";

interface StoredEvent {
  readonly id: string;
  readonly atMs: number;
  readonly sequence: number;
  /** Names and values in turn, as Redis gives them. */
  readonly fields: string[];
}

/** BullMQ's own default. */
const DEFAULT_MAX_EVENTS = 10_000;
/** Old events are dropped so many at a time: dropping them one by one would move all others each time. */
const TRIM_SLACK = 100;
const STREAM_NAME = "events";

/** What happened in one queue, for BullMQ's `QueueEvents`: a bounded log whose readers wait for what comes next. */
export class EventStream {
  #events: StoredEvent[] = [];
  #maxEvents = DEFAULT_MAX_EVENTS;
  #lastAtMs = 0;
  #sequence = 0;
  readonly #readers = new Waiters<true>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  setMaxEvents(maxEvents: number): void {
    this.#maxEvents = maxEvents;
  }

  append(event: string, fields: Readonly<Record<string, string | number>> = {}): string {
    const now = this.#now();
    this.#sequence = now > this.#lastAtMs ? 0 : this.#sequence + 1;
    this.#lastAtMs = Math.max(now, this.#lastAtMs);
    const id = `${this.#lastAtMs}-${this.#sequence}`;
    const flat = ["event", event, ...Object.entries(fields).flatMap(([name, value]) => [name, String(value)])];
    this.#events.push({ id, atMs: this.#lastAtMs, sequence: this.#sequence, fields: flat });
    if (this.#events.length > this.#maxEvents + TRIM_SLACK) {
      this.trim(this.#maxEvents);
    }
    this.#readers.wakeAll(true);
    return id;
  }

  /** @returns how many events were dropped */
  trim(maxEvents: number): number {
    const dropped = Math.max(0, this.#events.length - maxEvents);
    this.#events.splice(0, dropped);
    return dropped;
  }

  clear(): void {
    this.#events = [];
    this.#maxEvents = DEFAULT_MAX_EVENTS;
  }

  /** Events after `id` (`$`: those from now on), in Redis' shape; null after `timeoutMs` without one. Zero waits forever. */
  async read(id: string, timeoutMs: number, signal: AbortSignal): Promise<StreamReadRaw> {
    const after = id === "$" ? { atMs: this.#lastAtMs, sequence: this.#sequence } : parseEventId(id);
    if (!this.#hasAfter(after)) {
      await this.#readers.wait(timeoutMs <= 0 ? null : timeoutMs, signal);
    }
    const found = this.#events.filter((event) => isAfter(event, after));
    return found.length === 0 ? null : [[STREAM_NAME, found.map((event) => [event.id, event.fields])]];
  }

  #hasAfter(after: EventPosition): boolean {
    const last = this.#events.at(-1);
    return last !== undefined && isAfter(last, after);
  }
}

type EventPosition = Pick<StoredEvent, "atMs" | "sequence">;

function parseEventId(id: string): EventPosition {
  const [atMs = 0, sequence = 0] = id.split("-").map(Number);
  return { atMs, sequence };
}

function isAfter(event: EventPosition, after: EventPosition): boolean {
  return event.atMs > after.atMs || (event.atMs === after.atMs && event.sequence > after.sequence);
}
