/** Which wait a failure begins, and which waits are over with an outage. */
import type { ErrorCode, LicetError } from "../../errors.ts";
import type { NewWait, WaitPlace } from "../../run/wait.ts";

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
