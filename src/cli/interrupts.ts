/**
 * Handles Ctrl-C. The first one (and SIGTERM) stops the run: started purchases may be charged already, so they are finished. The
 * second one ends the process at once, which the ledger survives like a crash.
 */
import type { CliIo } from "./cli-io.ts";
import { EXIT } from "./exit-code.ts";

export interface Interrupts {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  readonly interrupted: () => boolean;
  stop(): void;
}

/**
 * @param say prints a message
 * @param farewell the last message before the process ends at once, such as how to resume; null for none
 */
export function watchInterrupts(io: CliIo, say: (message: string) => void, farewell: () => string | null): Interrupts {
  const controller = new AbortController();
  const remove = io.onInterrupt(() => {
    if (!controller.signal.aborted) {
      say("stopping: started purchases are being finished (Ctrl-C again stops at once)");
      controller.abort();
      return;
    }
    const last = farewell();
    if (last !== null) {
      say(last);
    }
    io.exit(EXIT.interrupted);
  });
  return { signal: controller.signal, interrupted: () => controller.signal.aborted, stop: remove };
}
