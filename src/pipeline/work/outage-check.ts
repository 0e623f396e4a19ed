/** Whether a request failed alone, or the gateway fails whatever is asked of it. One account of it for all requests of a run. */
import { assertLicetError, type LicetError } from "../../errors.ts";
import type { Clock } from "../../time/clock.ts";

/** For so long, the failure of a probe counts for the failures of other requests too. */
const PROBED_FOR_MS = 1_000;

/** Requests that are remembered because they failed while another one was answered. When more come, each is tried once more. */
const MAX_FAILED_ALONE = 10_000;

export interface FailedRequest {
  /** What the request was about, such as a batch. The same request has the same name when it is repeated. */
  readonly about: string;
  /** The failure, a temporary one. */
  readonly error: LicetError;
  /** Other requests, without cost. When one of them is answered, whatever it is answered, there is no outage. */
  readonly probes: readonly (() => Promise<unknown>)[];
}

export interface OutageCheck {
  /** Asks other requests. True also for the first failure of a request that failed while another one was answered. */
  isOutage(failed: FailedRequest): Promise<boolean>;
  /** A call had success: of the gateway, that is an answer. */
  noteSuccess(place: "gateway" | "ledger"): void;
}

/** @param onOutage called with a failure that shows one */
export function createOutageCheck(clock: Pick<Clock, "now">, onOutage: (error: LicetError) => void): OutageCheck {
  let failedAt = Number.NEGATIVE_INFINITY;
  let answers = 0;
  const failedAlone = new Set<string>();
  return {
    isOutage: async ({ about, error, probes }) => {
      if (clock.now() - failedAt < PROBED_FOR_MS) {
        return true;
      }
      const answersBefore = answers;
      if (!(await isAnswered(probes))) {
        // An answer that came meanwhile is newer than the failures.
        if (answers === answersBefore) {
          failedAt = clock.now();
          onOutage(error);
        }
        return true;
      }
      if (failedAlone.delete(about)) {
        return false;
      }
      // The outage may have ended between the failure and the probe. A failure counts when the request fails again.
      if (failedAlone.size >= MAX_FAILED_ALONE) {
        failedAlone.clear();
      }
      failedAlone.add(about);
      return true;
    },
    noteSuccess: (place) => {
      answers += place === "gateway" ? 1 : 0;
    },
  };
}

async function isAnswered(probes: FailedRequest["probes"]): Promise<boolean> {
  for (const probe of probes) {
    try {
      await probe();
      return true;
    } catch (error) {
      assertLicetError(error);
      if (error.retry === "never") {
        return true;
      }
    }
  }
  return false;
}
