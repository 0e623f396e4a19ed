/** Which wait a failure begins, and which waits are over with an outage. */
import { type ErrorCode, isLicetError, type LicetError } from "../../errors.ts";
import type { OutagePolicy } from "../../pipeline/work/outage-policy.ts";
import type { NewWait, WaitPlace } from "../../run/wait.ts";
import type { Waits } from "./waits.ts";

/** What is waited for more exactly than the place of the outage says. */
const OWN_PLACES: Readonly<Partial<Record<ErrorCode, WaitPlace>>> = {
  GATEWAY_RATE_LIMITED: "rate_limit",
  DISK_FULL: "disk",
};

/** What is over when the place is back. */
export const WAITS_OF = {
  gateway: ["gateway", "rate_limit"],
  queue: ["queue"],
  ledger: ["ledger", "disk"],
  clock: ["clock"],
} as const satisfies Readonly<Record<string, readonly WaitPlace[]>>;

/** @param outage where it is, if its code says nothing closer */
export function waitOf(
  { code, message, hint }: Pick<LicetError, "code" | "message" | "hint">,
  outage: WaitPlace,
  runId: string | null,
): NewWait {
  return { place: OWN_PLACES[code] ?? outage, runId, code, message, hint: hint ?? null, until: null };
}

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
