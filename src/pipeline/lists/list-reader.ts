/** The lines of a list, taken in pieces: as many as are there, so that a slow list is bought while it is still being written. */
import type { ParsedLine } from "../../list/parse-line.ts";
import type { Clock } from "../../time/clock.ts";

/** A line as it was read. */
export interface ListLine {
  /** Without its line end. */
  readonly text: string;
  readonly parsed: ParsedLine;
}

export interface TakenLines {
  readonly lines: readonly ListLine[];
  /** True when the list ends behind these. */
  readonly isOver: boolean;
}

export interface ListReader {
  /**
   * Takes the next lines, at most `limit`. Waits for the first one without a limit, for others only a moment. Nothing when the signal aborts.
   * @throws what reading the list throws
   */
  take(limit: number, signal: AbortSignal): Promise<TakenLines>;
  /** Ends the reading. Waits for the list to close, unless it is still making its next line. */
  close(): Promise<void>;
}

/** Lines that come within this time are recorded together. */
const TOGETHER_MS = 50;
/** Lines may be long, and all that are taken together are in memory. */
const MAX_CHARS_AT_ONCE = 4_000_000;

export function createListReader(lines: AsyncIterator<ListLine>, clock: Pick<Clock, "sleep">): ListReader {
  let next: Promise<IteratorResult<ListLine>> | null = null;
  let isOver = false;

  async function fill(taken: ListLine[], limit: number, timer: AbortController, signal: AbortSignal): Promise<void> {
    const stopped = whenAborted(signal, timer.signal);
    let late: Promise<null> | null = null;
    for (let chars = 0; taken.length < limit && chars < MAX_CHARS_AT_ONCE; ) {
      next ??= lines.next();
      const result = await Promise.race(late === null ? [next, stopped] : [next, late, stopped]);
      if (result === null) {
        return;
      }
      next = null;
      if (result.done === true) {
        isOver = true;
        return;
      }
      taken.push(result.value);
      chars += result.value.text.length;
      late ??= clock.sleep(TOGETHER_MS, timer.signal).then(() => null);
    }
  }

  return {
    async take(limit, signal) {
      const taken: ListLine[] = [];
      const timer = new AbortController();
      try {
        if (!isOver && !signal.aborted) {
          await fill(taken, limit, timer, signal);
        }
      } catch (error) {
        isOver = true;
        throw error;
      } finally {
        timer.abort();
      }
      return { lines: taken, isOver };
    },
    async close() {
      if (isOver) {
        return;
      }
      isOver = true;
      const pending = next;
      pending?.catch(() => {});
      // A generator that waits closes only when its wait is over, which may be never.
      const closing = Promise.resolve(lines.return?.()).catch(() => {});
      if (pending === null) {
        await closing;
      }
    },
  };
}

/** @param done aborts when nobody waits any more */
function whenAborted(signal: AbortSignal, done: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { once: true, signal: done });
  });
}
