/**
 * Repeats an indexing fetch that got no usable answer. It costs nothing, so unlike a paid fetch it is sent again with a fresh
 * token, a few times.
 */
import { isLicetError, LicetError } from "../../errors.ts";
import type { OpenPurchase } from "../../ledger/purchase-ledger.ts";
import { backoffMs } from "../../time/backoff.ts";
import type { AcquireContext } from "../acquire/acquire-context.ts";
import { release, toRefusal } from "../acquire/release.ts";
import { UNUSED_TOKENS_IN_A_ROW } from "../settle/answer-streaks.ts";
import { settle } from "../settle/settle.ts";
import { isGatewayError } from "../work/retry-batch.ts";

/** @param first the answer to the first attempt, when it refused the token */
export async function refetchIndexing(
  context: AcquireContext,
  purchase: OpenPurchase,
  first: LicetError | null = null,
): Promise<void> {
  const { deps, leaseId } = context;
  const { probes, probeBackoffMs, maxProbeBackoffMs } = deps.limits;
  const { url } = purchase;
  const silent = () =>
    new LicetError("GATEWAY_FAILED", `the gateway gave no usable answer for ${url}`, { details: { url } });
  let last: LicetError = first ?? silent();
  let askedMs = 0;
  // A rest that the gateway asks for is not an answer about the page: a token that ends meanwhile does not use up an attempt.
  let rests = 0;
  for (let failed = 0; failed < probes && rests < UNUSED_TOKENS_IN_A_ROW; ) {
    const waitMs = backoffMs(failed + rests + 1, probeBackoffMs, maxProbeBackoffMs, deps.random);
    await deps.clock.sleep(Math.max(askedMs, waitMs));
    askedMs = 0;
    try {
      const token = await deps.gateway.issueIndexingToken(purchase.wireUrl);
      const renewed = await deps.ledger.renewIndexingToken({
        leaseId,
        purchaseId: purchase.purchaseId,
        token,
      });
      if (!renewed) {
        return;
      }
      const answer = await deps.gateway.fetchContent({
        url: purchase.wireUrl,
        token: token.token,
        format: purchase.format === "markdown" ? "markdown" : "html",
      });
      if (answer.kind === "content") {
        await settle(context, purchase, answer);
        return;
      }
      if (answer.kind === "refused") {
        last = toRefusal(answer.status, answer.detail, purchase.url);
        break;
      }
      if (answer.kind === "unauthorized") {
        last = toRefusal(401, answer.detail, purchase.url);
      }
      if (answer.kind === "rate_limited") {
        askedMs = answer.retryAfterMs ?? 0;
        rests += 1;
        continue;
      }
    } catch (error) {
      if (!isGatewayError(error) || isLicetError(error, "GATEWAY_UNAUTHORIZED")) {
        throw error;
      }
      last = error;
      if (error.retry === "never") {
        break;
      }
    }
    failed += 1;
  }
  await release(context, purchase, "content_refused", last);
}
