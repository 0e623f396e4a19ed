/** Whether a content request without an answer has none because the gateway is away, and the run waits for its return. */
import { LicetError } from "../../errors.ts";
import type { ContentAnswer } from "../../gateway/gateway.ts";
import type { OpenPurchase } from "../../ledger/purchase-ledger.ts";
import type { WorkerDeps } from "../stage-deps.ts";

type Unanswered = Extract<ContentAnswer, { readonly kind: "unanswered" }>;

/** What says more than that there is no connection. */
const CODES: Readonly<Partial<Record<Unanswered["reason"], "GATEWAY_TIMEOUT" | "GATEWAY_FAILED">>> = {
  timeout: "GATEWAY_TIMEOUT",
  server_error: "GATEWAY_FAILED",
};

/** Asks for the rates of the page, which costs nothing. What the gateway answers at all is not an outage. */
export async function isOutage(
  { gateway, outagePolicy }: Pick<WorkerDeps, "gateway" | "outagePolicy">,
  { purchaseId, url, wireUrl }: OpenPurchase,
  answer: ContentAnswer,
): Promise<boolean> {
  if (answer.kind !== "unanswered") {
    return false;
  }
  const code = CODES[answer.reason] ?? "GATEWAY_UNREACHABLE";
  const error = new LicetError(code, `${url} has no answer: ${answer.detail}`, { details: { url } });
  return outagePolicy.isOutage({ about: `content ${purchaseId}`, error, probes: [() => gateway.quotePage(wireUrl)] });
}
