/**
 * Simulated time: a heap of events. Each event continues something that waited. Between two events, every promise that can
 * continue has continued. So an event is the code between two awaits on the outside world. Only the order of events is free, and
 * the seed decides it.
 */
import type { Clock } from "../../src/time/clock.ts";
import type { Random } from "./random.ts";

/** Whose continuation an event is. A dead one's events never happen; a suspended one's happen when it is woken. */
export interface Owner {
  isAlive: boolean;
  /** Simulated instant; null while it is not suspended. */
  suspendedUntil: number | null;
  /** Ends the process before its nth event. */
  diesAtEvent: number;
  events: number;
  /** What its clock is off by, ms. */
  skewMs: number;
}

interface Event {
  readonly at: number;
  /** Orders what happens at the same instant: by chance. */
  readonly tie: number;
  readonly owner: Owner | null;
  run: (() => void) | null;
}

export class Scheduler {
  readonly #heap: Event[] = [];
  readonly #order: Random;
  readonly #onDeath: (owner: Owner) => void;
  readonly #waitsForFiles: boolean;
  #now: number;
  #atWork: Owner | null = null;
  events = 0;

  /**
   * @param onDeath is called for an owner before its last event
   * @param waitsForFiles an event ends when no file is read or written any more
   */
  constructor(startAt: number, order: Random, onDeath: (owner: Owner) => void, waitsForFiles = false) {
    this.#waitsForFiles = waitsForFiles;
    this.#now = startAt;
    this.#order = order;
    this.#onDeath = onDeath;
  }

  /** True time, epoch ms; processes have clocks of their own. */
  get now(): number {
    return this.#now;
  }

  /** Whose event is under way. */
  get atWork(): Owner | null {
    return this.#atWork;
  }

  /** @param owner null: the network, the gateway, the queue's server, the operator @returns cancels the event */
  schedule(delayMs: number, owner: Owner | null, run: () => void): () => void {
    const event: Event = { at: this.#now + Math.max(0, delayMs), tie: this.#order.next(), owner, run };
    this.#push(event);
    return () => {
      event.run = null;
    };
  }

  /** Waits as a dependency of a process does. */
  pause(delayMs: number, owner: Owner): Promise<void> {
    return new Promise((resolve) => this.schedule(delayMs, owner, resolve));
  }

  clockOf(owner: Owner): Clock {
    return {
      now: () => this.#now + owner.skewMs,
      elapsed: () => this.#now,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted) {
            resolve();
            return;
          }
          const finish = () => {
            cancel();
            signal?.removeEventListener("abort", finish);
            resolve();
          };
          const cancel = this.schedule(ms, owner, finish);
          signal?.addEventListener("abort", finish, { once: true });
        }),
    };
  }

  /** Lets time pass with nothing happening but what is due. */
  advanceTo(at: number): void {
    this.#now = Math.max(this.#now, at);
  }

  /** The next event, and all that follows from it without waiting. False when there is none. */
  async step(): Promise<boolean> {
    for (;;) {
      const event = this.#pop();
      if (event === null) {
        return false;
      }
      const { owner, run } = event;
      if (run === null || owner?.isAlive === false) {
        continue;
      }
      this.#now = Math.max(this.#now, event.at);
      if (owner !== null && owner.suspendedUntil !== null) {
        if (owner.suspendedUntil > this.#now) {
          this.#push({ ...event, at: owner.suspendedUntil });
          continue;
        }
        owner.suspendedUntil = null;
      }
      if (owner !== null && ++owner.events >= owner.diesAtEvent) {
        owner.isAlive = false;
        this.#onDeath(owner);
        return true;
      }
      this.events += 1;
      this.#atWork = owner;
      run();
      // A macrotask comes only after every promise that was ready, and those they made ready.
      do {
        await new Promise<void>((resolve) => setImmediate(resolve));
      } while (this.#waitsForFiles && isAtFiles());
      this.#atWork = null;
      return true;
    }
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(heap[index] as Event, heap[parent] as Event)) {
        break;
      }
      [heap[index], heap[parent]] = [heap[parent] as Event, heap[index] as Event];
      index = parent;
    }
  }

  #pop(): Event | null {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) {
      return null;
    }
    if (heap.length > 0) {
      heap[0] = last;
      for (let index = 0; ; ) {
        let least = index;
        for (const child of [2 * index + 1, 2 * index + 2]) {
          if (child < heap.length && isBefore(heap[child] as Event, heap[least] as Event)) {
            least = child;
          }
        }
        if (least === index) {
          break;
        }
        [heap[index], heap[least]] = [heap[least] as Event, heap[index] as Event];
        index = least;
      }
    }
    return first;
  }
}

/** Whether a request to the file system of this program is under way, or a long piece of work lets others come in between. */
function isAtFiles(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^(FSReq|CloseReq|FileHandle|Immediate)/i.test(name));
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.tie < b.tie);
}
