/**
 * Handles Ctrl-C. The first one (and SIGTERM) stops the work: started purchases may be charged already, so they are finished. The
 * second one ends the process at once, which the ledger survives like a crash. Each prints one sentence that says what happens now.
 */
import type { CliIo } from "./cli-io.ts";
import { EXIT } from "./exit-code.ts";
import { CLEAR_LINE } from "./progress/progress-line.ts";

export interface Interrupts {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  readonly interrupted: () => boolean;
  stop(): void;
}

export interface InterruptWords {
  /** Prints a message. */
  say(message: string): void;
  /** What is still done after the first signal, as in `started purchases are being finished`. */
  readonly finishing: string;
  /** The last message before the process ends at once, such as how to resume. */
  farewell(): string;
  /** Called before the last message: removes the progress line. */
  clear?(): void;
}

export function watchInterrupts(io: CliIo, words: InterruptWords): Interrupts {
  const controller = new AbortController();
  // The terminal has printed `^C`.
  const say = (message: string) => {
    if (io.stderr.isTerminal) {
      void io.stderr.write(CLEAR_LINE).catch(() => undefined);
    }
    words.say(message);
  };
  const remove = io.onInterrupt(() => {
    if (!controller.signal.aborted) {
      say(`stopping: ${words.finishing} (Ctrl-C again stops at once)`);
      controller.abort();
      return;
    }
    words.clear?.();
    say(`stopped at once: ${words.farewell()}`);
    io.exit(EXIT.interrupted);
  });
  return { signal: controller.signal, interrupted: () => controller.signal.aborted, stop: remove };
}
