import { isLicetError, LicetError } from "../../errors.ts";
import { REDIRECT_HINT } from "../../gateway/gateway.ts";
import type { OpenPurchase, PurchaseLedger } from "../../ledger/purchase-ledger.ts";
import type { AcquireContext } from "./acquire-context.ts";
import { noteForbidden } from "./forbidden-pages.ts";
import { noteRefusedToken } from "./refused-tokens.ts";
import { stopRefusing } from "./stop-refusing.ts";

/**
 * Releases a purchase that the gateway refused, unless another worker has it now. A site that refuses page after page is stopped.
 */
export async function release(
  context: AcquireContext,
  purchase: OpenPurchase,
  reason: Parameters<PurchaseLedger["releasePurchase"]>[0]["reason"],
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
  if (reason === "token_refused" && isLicetError(error, "GATEWAY_REFUSED")) {
    await noteRefusedToken(context, purchase, error);
  }
  await stopRefusing(context, error);
}

const UNAUTHORIZED_HINT =
  "Check gateway.headers.token (some gateways want the token in a header of another name) and that gateway.userAgent holds the registered agent id.";

/** Turns a refusal of the content into an error, with the code and hint that its status has everywhere. */
export function toRefusal(status: number, detail: string, url: string): LicetError {
  const { code, hint } = classOf(status);
  return new LicetError(code, `the gateway refused ${url} (${status}): ${detail}`, {
    ...(hint === null ? {} : { hint }),
    details: { url, status },
  });
}

type RefusalCode =
  | "GATEWAY_REDIRECTED"
  | "GATEWAY_UNAUTHORIZED"
  | "GATEWAY_FORBIDDEN"
  | "GATEWAY_NOT_FOUND"
  | "GATEWAY_REFUSED";

function classOf(status: number): { readonly code: RefusalCode; readonly hint: string | null } {
  if (status < 400) {
    return { code: "GATEWAY_REDIRECTED", hint: REDIRECT_HINT };
  }
  switch (status) {
    case 401:
      return { code: "GATEWAY_UNAUTHORIZED", hint: UNAUTHORIZED_HINT };
    case 403:
      return { code: "GATEWAY_FORBIDDEN", hint: null };
    case 404:
      return { code: "GATEWAY_NOT_FOUND", hint: null };
    default:
      return { code: "GATEWAY_REFUSED", hint: null };
  }
}
