import { assertBug } from "../errors.ts";
import type { OneTimeToken } from "../gateway/gateway.ts";
import type { OpenPurchase } from "../ledger/purchase-ledger.ts";
import { toMicros } from "../money/micros.ts";
import { isLicenseType } from "../rates/license.ts";
import type { StageDeps } from "./stage-deps.ts";

/**
 * Requests a token at the quoted price. It takes no signal: a token request is quick and free, and one listener a page would cost
 * more than it saves.
 */
export function requestToken({ gateway }: Pick<StageDeps, "gateway">, purchase: OpenPurchase): Promise<OneTimeToken> {
  if (purchase.intent === "indexing") {
    return gateway.issueIndexingToken(purchase.wireUrl);
  }
  const { license, currency } = purchase;
  assertBug(
    license !== null && currency !== null && isLicenseType(license.licenseType),
    `purchase ${purchase.purchaseId} has no licence to buy under`,
  );
  return gateway.issueContentToken({
    url: purchase.wireUrl,
    maxPrice: { micros: toMicros(purchase.quotedMicros), currency },
    licenseType: license.licenseType,
    licenseCuid: license.cuid,
    format: purchase.format === "markdown" ? "markdown" : "html",
  });
}
