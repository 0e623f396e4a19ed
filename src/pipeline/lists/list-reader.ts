/**
 * The lines of a list, taken in pieces: as many as are there, so that a slow list is bought while it is still being written. Lines that were
 * taken are given again until they are accepted, so that a run that pauses goes on where the ledger is, and no line is lost.
 */
import { assertBug } from "../../errors.ts";
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
   * The next lines behind those that were accepted, at most `limit`. Waits for the first one without a limit, for others only a moment. What is
   * there when the signal aborts, which may be nothing.
   * @throws what reading the list throws, each time
   */
  take(limit: number, signal: AbortSignal): Promise<TakenLines>;
  /** The first of the taken lines are recorded: they are not given again. */
  accept(count: number): void;
  /** Ends the reading: nothing may be taken any more. Waits for the list to close, unless it is still making its next line. */
  close(): Promise<void>;
}

/** Lines that come within this time are recorded together. */
const TOGETHER_MS = 50;
/** Lines may be long, and all that are taken together are in memory. */
const MAX_CHARS_AT_ONCE = 4_000_000;

/** How a list ended: behind its last line, or because it could not be read. */
type ListEnd = { readonly kind: "over" } | { readonly kind: "failed"; readonly error: unknown };

export function createListReader(lines: AsyncIterator<ListLine>, clock: Pick<Clock, "sleep">): ListReader {
  let next: Promise<IteratorResult<ListLine>> | null = null;
  /** Read and not accepted yet. */
  let waiting: ListLine[] = [];
  let end: ListEnd | null = null;
  let isClosed = false;

  async function fill(limit: number, timer: AbortController, signal: AbortSignal): Promise<void> {
    const stopped = whenAborted(signal, timer.signal);
    const waitForMore = () => clock.sleep(TOGETHER_MS, timer.signal).then(() => null);
    let late: Promise<null> | null = waiting.length === 0 ? null : waitForMore();
    let chars = waiting.reduce((sum, { text }) => sum + text.length, 0);
    while (waiting.length < limit && chars < MAX_CHARS_AT_ONCE) {
      next ??= lines.next();
      const result = await Promise.race(late === null ? [next, stopped] : [next, late, stopped]);
      if (result === null) {
        return;
      }
      next = null;
      if (result.done === true) {
        end = { kind: "over" };
        return;
      }
      waiting.push(result.value);
      chars += result.value.text.length;
      late ??= waitForMore();
    }
  }

  return {
    async take(limit, signal) {
      // The end of the reading is not the end of the list.
      assertBug(!isClosed, "a list that was closed is not read");
      const timer = new AbortController();
      try {
        if (end === null && !signal.aborted) {
          await fill(limit, timer, signal);
        }
      } catch (error) {
        end = { kind: "failed", error };
      } finally {
        timer.abort();
      }
      if (end?.kind === "failed" && waiting.length === 0) {
        throw end.error;
      }
      return { lines: waiting.slice(0, limit), isOver: end?.kind === "over" && waiting.length <= limit };
    },
    accept(count) {
      assertBug(count <= waiting.length, "only lines that were taken are accepted");
      waiting = waiting.slice(count);
    },
    async close() {
      if (isClosed) {
        return;
      }
      isClosed = true;
      if (end !== null) {
        return;
      }
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
