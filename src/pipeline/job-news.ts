import type { Clock } from "../time/clock.ts";
import type { JobNews } from "./dispatch.ts";

/** The workers' side of JobNews. */
export interface JobBoard extends JobNews {
  begin(leaseId: string): void;
  end(leaseId: string): void;
  /** Wakes the dispatcher without a job having ended. */
  nudge(): void;
}

/** What happens in this process, so that the dispatcher does not have to ask the ledger every few milliseconds. */
export function createJobBoard(clock: Clock): JobBoard {
  const active = new Set<string>();
  let ended: string[] = [];
  let wake: AbortController | null = null;
  const nudge = () => wake?.abort();
  return {
    active,
    begin: (leaseId) => {
      active.add(leaseId);
    },
    end: (leaseId) => {
      active.delete(leaseId);
      ended.push(leaseId);
      nudge();
    },
    nudge,
    takeEnded: () => {
      const taken = ended;
      ended = [];
      return taken;
    },
    wait: async (timeoutMs, signal) => {
      if (ended.length > 0) {
        return;
      }
      wake = new AbortController();
      await clock.sleep(timeoutMs, AbortSignal.any([wake.signal, signal]));
      wake = null;
    },
  };
}
