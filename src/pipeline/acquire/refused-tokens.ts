/**
 * What refused tokens mean for their site. One refusal concerns its page: its price rose, or its terms changed. When the first tokens of a run are all
 * refused, and so are those of other pages, it is a setting that is wrong: most often the AgentID that the gateway knows.
 */

import { partOfUrl } from "../../catalog/url-path.ts";
import { assertLicetError, type LicetError } from "../../errors.ts";
import type { OpenPurchase } from "../../ledger/purchase-ledger.ts";
import { stopSite } from "../stop-site.ts";
import type { AcquireContext } from "./acquire-context.ts";
import { requestToken } from "./request-token.ts";

const HINT =
  "Check gateway.agentId and gateway.userAgent: the gateway must know the AgentID, and the user agent must contain it";

/** @throws LicetError GATEWAY_* when another page cannot be asked for; the page is released by then */
export async function noteRefusedToken(
  context: AcquireContext,
  purchase: OpenPurchase,
  error: LicetError,
): Promise<void> {
  const { deps, batch } = context;
  const { siteHealth, answerStreaks } = deps;
  const { host } = batch;
  if (siteHealth.isGranted(host, "token") || !answerStreaks.tokenRefused(host)) {
    return;
  }
  if (await isOtherGranted(context, purchase)) {
    siteHealth.granted(host, "token");
    return;
  }
  const detail = `every token was refused: ${error.message}. ${HINT}`;
  await stopSite(deps, batch, { stop: "unauthorized", detail });
}

/** Requests the tokens of two pages that are reserved, at their own terms: an unused token costs nothing. */
async function isOtherGranted({ deps, batch }: AcquireContext, { url }: OpenPurchase): Promise<boolean> {
  const { runId, host } = batch;
  const { otherParts, samePart } = await deps.ledger.findReserved({ runId, host, part: partOfUrl(url) });
  for (const other of [otherParts[0] ?? null, samePart]) {
    try {
      if (other !== null) {
        await requestToken(deps, other);
        return true;
      }
    } catch (error) {
      assertLicetError(error, "GATEWAY_REFUSED");
    }
  }
  return false;
}
