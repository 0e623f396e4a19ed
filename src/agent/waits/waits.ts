/**
 * What this process waits for at present, and its rows in the ledger. A row is written when a wait begins and when it ends, never for a page. This
 * process says of a wait what the row says, so that every process says the same. What cannot be written, because it is the ledger that is waited
 * for, is known in this process alone.
 */
import type { Ledger } from "../../ledger/ledger.ts";
import type { NewWait, Wait, WaitPlace } from "../../run/wait.ts";
import type { Clock } from "../../time/clock.ts";
import type { Processes } from "../this-process.ts";

/** Of a wait that goes on, its end is said again when it has moved by so much since it was said. */
const MOVED_MS = 5_000;

export type WaitListener = (wait: Wait, isOver: boolean) => void;

export interface Waits {
  /** Under which these waits stand in the ledger. Null: none was ever written. */
  readonly process: string | null;
  /** Oldest first, as they are written. */
  current(): readonly Wait[];
  /** Begins a wait. Of one that has begun, says until when it goes on, if that is seconds from what was said. */
  begin(wait: NewWait): void;
  /** What was waited for is back. A pause that the gateway asked for lasts until its end. Does nothing when nobody waited. */
  end(runId: string | null, places: readonly WaitPlace[]): void;
  /** A run is over, and waits for nothing more. */
  forget(runId: string): void;
  /** Called when a wait begins and when it is over. Returns a function that ends the calls. */
  onChange(listener: WaitListener): () => void;
  /** Resolves when the ledger says what is so, or could not be written. Ends the name of these waits. */
  close(): Promise<void>;
}

interface WaitsDeps {
  readonly clock: Pick<Clock, "now">;
  readonly processes: Pick<Processes, "begin" | "end">;
  readonly ledger: () => Promise<Pick<Ledger, "writeWaits">>;
}

export function createWaits({ clock, processes, ledger }: WaitsDeps): Waits {
  let process: string | null = null;
  const waits = new Map<string, Wait>();
  /** When each of them ends, also where that is not worth a row. */
  const ends = new Map<string, number>();
  const listeners = new Set<WaitListener>();
  let isWritten = true;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (isWritten) {
      return;
    }
    isWritten = true;
    process ??= processes.begin();
    try {
      await (await ledger()).writeWaits({ process, waits: [...waits.values()] });
    } catch {
      // It may be the ledger that is away. The next change is written with all that lasts.
      isWritten = false;
    }
  }

  function change(wait: Wait, isOver: boolean | null): void {
    isWritten = false;
    writing = writing.then(write);
    if (isOver !== null) {
      for (const listener of listeners) {
        listener(wait, isOver);
      }
    }
  }

  function remove(key: string): void {
    const wait = waits.get(key);
    if (wait !== undefined) {
      waits.delete(key);
      ends.delete(key);
      change(wait, true);
    }
  }

  return {
    get process() {
      return process;
    },
    current: () => [...waits.values()],
    begin: (wait) => {
      const key = keyOf(wait);
      const known = waits.get(key);
      ends.set(key, wait.until ?? 0);
      if (known === undefined || known.code !== wait.code || hasMoved(known, wait)) {
        const begun = { ...wait, since: known?.since ?? clock.now() };
        waits.set(key, begun);
        change(begun, known === undefined ? false : null);
      }
    },
    end: (runId, places) => {
      for (const place of waits.size === 0 ? [] : places) {
        const key = keyOf({ runId, place });
        // Answers to requests that were under way come while all others pause.
        if (place !== "rate_limit" || (ends.get(key) ?? 0) <= clock.now()) {
          remove(key);
        }
      }
    },
    forget: (runId) => {
      for (const [key, wait] of waits) {
        if (wait.runId === runId) {
          remove(key);
        }
      }
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      await writing;
      if (process === null) {
        return;
      }
      isWritten &&= waits.size === 0;
      waits.clear();
      ends.clear();
      await write();
      processes.end(process);
    },
  };
}

function hasMoved(known: Wait, { until }: NewWait): boolean {
  return Math.abs((known.until ?? 0) - (until ?? 0)) >= MOVED_MS;
}

function keyOf({ runId, place }: Pick<Wait, "runId" | "place">): string {
  return `${place} ${runId ?? ""}`;
}
