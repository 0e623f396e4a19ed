/**
 * Ctrl-C: the first one (and SIGTERM) stops gently, since what was started may have been paid for and wants to be finished;
 * the second one ends the process where it is, which the ledger survives as it survives a crash.
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
 * @param say where the messages go
 * @param farewell what is said before the process ends at once, such as how to resume; null for nothing
 */
export function watchInterrupts(io: CliIo, say: (message: string) => void, farewell: () => string | null): Interrupts {
  const controller = new AbortController();
  const remove = io.onInterrupt(() => {
    if (!controller.signal.aborted) {
      say("stopping: what is started is being finished (Ctrl-C again stops at once)");
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
