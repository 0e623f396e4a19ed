/** What runs and the service wait for at present, so that every process can say it of every other. */
import type { Wait } from "../run/wait.ts";

/** A wait, and who wrote it down: the name of a task of a process (agent/this-process.ts). */
export interface KnownWait extends Wait {
  readonly process: string;
}

export interface WaitLedger {
  /**
   * Writes down what a process waits for, in the place of what it had written before. Waits of runs that the ledger does not know are left out.
   * When a run is begun by another process, or another service takes the lease, what was written for them before is gone. Idempotent.
   */
  writeWaits(request: { readonly process: string; readonly waits: readonly Wait[] }): Promise<void>;
  /** All of them, oldest first, also those of processes that have died since. As few as what is waited for. */
  readWaits(): Promise<readonly KnownWait[]>;
}
