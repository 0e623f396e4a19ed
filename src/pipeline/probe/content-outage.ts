/** Whether a content request without an answer has none because the gateway is away. */
import { LicetError } from "../../errors.ts";
import type { GatewayRetry } from "../../gateway/gateway.ts";
import type { OpenPurchase } from "../../ledger/purchase-ledger.ts";
import type { WorkerDeps } from "../stage-deps.ts";
import { WAIT_CODES } from "../work/outage-policy.ts";

/** Asks for the rates of the page, which costs nothing. If the gateway answers that, whatever it answers, it is not away. */
export function isGatewayAway(
  { gateway, outagePolicy }: Pick<WorkerDeps, "gateway" | "outagePolicy">,
  { purchaseId, url, wireUrl }: OpenPurchase,
  { because, detail }: Pick<GatewayRetry, "because"> & { readonly detail: string },
): Promise<boolean> {
  const error = new LicetError(WAIT_CODES[because], `${url} has no answer: ${detail}`, { details: { url } });
  // Without the signal of the run: a call that it aborts would count as answered, and a run that stops has to know too.
  return outagePolicy.isAway({ about: `content ${purchaseId}`, error, probes: [() => gateway.quotePage(wireUrl)] });
}
