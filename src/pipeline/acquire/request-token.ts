import { assertBug } from "../../errors.ts";
import type { OpenPurchase } from "../../ledger/purchase-ledger.ts";
import type { OneTimeToken } from "../../purchase/purchase.ts";
import { isLicenseType } from "../../rates/license.ts";
import type { WorkerDeps } from "../stage-deps.ts";

/**
 * Requests a token at the quoted price. With all of the gateway's limits it takes no signal: a token request is quick and free, and one listener a
 * page would cost more than it saves. With a share of them (`tokenStop`), the requests that wait may be many times those in flight.
 */
export function requestToken(
  { gateway, tokenStop }: Pick<WorkerDeps, "gateway" | "tokenStop">,
  purchase: OpenPurchase,
): Promise<OneTimeToken> {
  const signal = tokenStop ?? undefined;
  if (purchase.intent === "indexing") {
    return gateway.issueIndexingToken(purchase.wireUrl, signal);
  }
  const { quote } = purchase;
  const licenseType = quote?.license.licenseType ?? "";
  assertBug(
    quote !== null && isLicenseType(licenseType),
    `purchase ${purchase.purchaseId} has no licence to buy under`,
  );
  const request = {
    url: purchase.wireUrl,
    maxPrice: quote.price,
    licenseType,
    licenseCuid: quote.license.cuid,
    format: purchase.format === "markdown" ? "markdown" : "html",
  } as const;
  return gateway.issueContentToken(request, signal);
}
