import { assertBug } from "../../errors.ts";
import type { OpenPurchase } from "../../ledger/purchase-ledger.ts";
import type { OneTimeToken } from "../../purchase/purchase.ts";
import { isLicenseType } from "../../rates/license.ts";
import type { WorkerDeps } from "../stage-deps.ts";

/**
 * Requests a token at the quoted price. It takes no signal: a token request is quick and free, and one listener a page would cost
 * more than it saves.
 */
export function requestToken({ gateway }: Pick<WorkerDeps, "gateway">, purchase: OpenPurchase): Promise<OneTimeToken> {
  if (purchase.intent === "indexing") {
    return gateway.issueIndexingToken(purchase.wireUrl);
  }
  const { quote } = purchase;
  const licenseType = quote?.license.licenseType ?? "";
  assertBug(
    quote !== null && isLicenseType(licenseType),
    `purchase ${purchase.purchaseId} has no licence to buy under`,
  );
  return gateway.issueContentToken({
    url: purchase.wireUrl,
    maxPrice: quote.price,
    licenseType,
    licenseCuid: quote.license.cuid,
    format: purchase.format === "markdown" ? "markdown" : "html",
  });
}
