import { isLicetError } from "../../errors.ts";
import type { OutagePolicy } from "../../pipeline/work/outage-policy.ts";
import { WAITS_OF, waitOf } from "./wait-of-error.ts";
import type { Waits } from "./waits.ts";

/** The policy of a command, which waits for little; what it waits for is written down. A service's outages do that themselves (runs/outages.ts). */
export function notingWaits(policy: OutagePolicy, waits: Waits, runId: string): OutagePolicy {
  return {
    ...policy,
    keepsContent: (error, waiting) => {
      const isKept = policy.keepsContent(error, waiting);
      if (isKept && isLicetError(error)) {
        waits.begin(waitOf(error, "ledger", runId));
      }
      return isKept;
    },
    reportSuccess: (place) => {
      waits.end(runId, WAITS_OF[place]);
      policy.reportSuccess(place);
    },
  };
}
