import { isLicetError, LicetError } from "../errors.ts";
import type { OpenPurchase } from "../ledger/purchase-ledger.ts";
import type { ReleaseReason } from "../purchase/purchase.ts";
import type { AcquireContext } from "./acquire-context.ts";
import { noteForbidden } from "./forbidden-pages.ts";

/** Releases a purchase that the gateway said no to, unless somebody else has it by now, and notes a 403. */
export async function release(
  context: AcquireContext,
  purchase: OpenPurchase,
  reason: ReleaseReason,
  error: LicetError,
): Promise<void> {
  const { deps, leaseId } = context;
  const { purchaseId } = purchase;
  const now = deps.clock.now();
  if (await deps.ledger.releasePurchase({ leaseId, purchaseId, reason, detail: error.message, now })) {
    deps.events.failed({ url: purchase.url, reason, detail: error.message });
  }
  if (isLicetError(error, "GATEWAY_FORBIDDEN")) {
    await noteForbidden(context, purchase, reason === "token_refused" ? "token" : "content");
  }
}

/** A refusal of the content as an error, with the code that its status has everywhere else. */
export function toRefusal(status: number, detail: string, url: string): LicetError {
  const code = status === 403 ? "GATEWAY_FORBIDDEN" : status === 404 ? "GATEWAY_NOT_FOUND" : "GATEWAY_REFUSED";
  return new LicetError(code, `the gateway refused ${url} (${status}): ${detail}`, { details: { url, status } });
}
