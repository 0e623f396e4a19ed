/**
 * What a run does when the gateway or the ledger's disk fails for long. A run of a command gives up after some attempts, but for what may have been
 * charged: it says so, and is resumed later. A run of the service waits until the outage is over: it cuts no walk and stops no site for it.
 */
import type { ErrorCode, LicetError } from "../../errors.ts";
import type { GatewayRetry } from "../../gateway/gateway.ts";
import type { Clock } from "../../time/clock.ts";
import { createOutageCheck, type FailedRequest } from "./outage-check.ts";

/** The code of a wait for the gateway, by why the last attempt failed. */
export const WAIT_CODES = {
  no_connection: "GATEWAY_UNREACHABLE",
  reset: "GATEWAY_UNREACHABLE",
  timeout: "GATEWAY_TIMEOUT",
  server_error: "GATEWAY_FAILED",
  rate_limited: "GATEWAY_RATE_LIMITED",
  bad_json: "GATEWAY_ANSWER_INVALID",
} as const satisfies Readonly<Record<GatewayRetry["because"], ErrorCode>>;

export interface OutagePolicy {
  /**
   * Called when a request has failed too often, before its failure counts for a page, a walk or a site. True: the gateway fails whatever is
   * asked of it, so the failure says nothing about them, and the caller waits and tries again.
   */
  isOutage(failed: FailedRequest): Promise<boolean>;
  /**
   * Called when the probes of a started purchase are used up. True: the gateway fails whatever is asked of it, so the purchase is probed on while its token
   * lives.
   */
  isAway(failed: FailedRequest): Promise<boolean>;
  /**
   * Says whether content that was paid for is still kept in memory after a failure of the ledger.
   * @param signal aborts when the run stops
   */
  keepsContent(error: LicetError, waiting: { readonly waitedMs: number; readonly signal: AbortSignal }): boolean;
  /** Called with what ends the run's work. True: the run waits for the end of an outage, and is not ended by this. */
  pausesFor(error: unknown): boolean;
  /** A call had success: an outage of this place is over. */
  reportSuccess(place: "gateway" | "ledger"): void;
}

/** Somebody can free disk space for this long before the run ends without the content. */
const KEEP_CONTENT_MS = 60_000;

/** Gives up after some attempts: a call for whose answer somebody waits. */
export const NO_OUTAGES: OutagePolicy = {
  isOutage: async () => false,
  isAway: async () => false,
  keepsContent: (_error, { waitedMs, signal }) => !signal.aborted && waitedMs < KEEP_CONTENT_MS,
  pausesFor: () => false,
  reportSuccess: () => {},
};

/** The outage policy of a run of a command. */
export function createCommandPolicy(clock: Pick<Clock, "now">): OutagePolicy {
  const check = createOutageCheck(clock, () => {});
  return { ...NO_OUTAGES, isAway: check.isOutage, reportSuccess: check.noteSuccess };
}
