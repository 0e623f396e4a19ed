import type { Clock } from "../time/clock.ts";
import type { InFlightJobs } from "./dispatch.ts";

/** The workers' side: records which jobs begin and end. */
export interface InFlightRegistry extends InFlightJobs {
  begin(leaseId: string): void;
  end(leaseId: string): void;
  /** Wakes the dispatcher although no job has ended. */
  wake(): void;
}

/** Records the jobs of this process, so that the dispatcher does not have to query the ledger every few milliseconds. */
export function createInFlightRegistry(clock: Clock): InFlightRegistry {
  const active = new Set<string>();
  let ended: string[] = [];
  let waiting: AbortController | null = null;
  const wake = () => waiting?.abort();
  return {
    active,
    begin: (leaseId) => {
      active.add(leaseId);
    },
    end: (leaseId) => {
      active.delete(leaseId);
      ended.push(leaseId);
      wake();
    },
    wake,
    takeEnded: () => {
      const taken = ended;
      ended = [];
      return taken;
    },
    wait: async (timeoutMs, signal) => {
      if (ended.length > 0) {
        return;
      }
      waiting = new AbortController();
      await clock.sleep(timeoutMs, AbortSignal.any([waiting.signal, signal]));
      waiting = null;
    },
  };
}
