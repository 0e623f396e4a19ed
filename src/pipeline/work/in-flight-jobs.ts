import type { LeaseJob } from "../../queue/queue.ts";
import type { Clock } from "../../time/clock.ts";
import type { InFlightJobs } from "./dispatch.ts";

/** The workers' side: records which jobs begin and end. */
export interface InFlightRegistry extends InFlightJobs {
  begin(key: string): void;
  end(key: string): void;
  /** Wakes the dispatcher although no job has ended. */
  wake(): void;
}

/** The name of a job while it is in flight: its lease id, or `report`. There is one report job at a time. */
export function keyOfJob(job: LeaseJob): string {
  return job.leaseId ?? job.stage;
}

/** Records the jobs of this process, so that the dispatcher does not have to query the ledger every few milliseconds. */
export function createInFlightRegistry(clock: Clock): InFlightRegistry {
  const active = new Set<string>();
  let ended: string[] = [];
  // Also while the dispatcher reads the ledger, which it did before what it is woken for.
  let isWoken = false;
  let waiting: AbortController | null = null;
  const wake = () => {
    isWoken = true;
    waiting?.abort();
  };
  return {
    active,
    begin: (key) => {
      active.add(key);
    },
    end: (key) => {
      active.delete(key);
      ended.push(key);
      wake();
    },
    wake,
    takeEnded: () => {
      const taken = ended;
      ended = [];
      isWoken = false;
      return taken;
    },
    wait: async (timeoutMs, signal) => {
      if (isWoken) {
        return;
      }
      waiting = new AbortController();
      await clock.sleep(timeoutMs, AbortSignal.any([waiting.signal, signal]));
      waiting = null;
    },
  };
}
