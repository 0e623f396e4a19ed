/**
 * Stage 4: buys the pages of a batch. Each page takes four steps: get a token, commit the state *started*, send the chargeable
 * request, and act on its answer.
 *
 * One rule shapes this file (promise 3). Between the commit of *started* and an answer, the purchase may have been charged. Only
 * one request can find that out without a second purchase: the same request with the same token.
 */
import { assertBug, isLicetError } from "../../errors.ts";
import type { OpenPurchase } from "../../ledger/purchase-ledger.ts";
import type { OneTimeToken } from "../../purchase/purchase.ts";
import { fetchAndProbe } from "../probe/probe.ts";
import type { WorkerDeps } from "../stage-deps.ts";
import { keepLease } from "../work/keep-lease.ts";
import { isGatewayError, restInOutage, retryBatch } from "../work/retry-batch.ts";
import type { AcquireContext } from "./acquire-context.ts";
import { checkForbiddenContents } from "./forbidden-pages.ts";
import { release } from "./release.ts";
import { requestToken } from "./request-token.ts";
import { createSlowStart } from "./slow-start.ts";

/** A batch that may not buy now is tried again after this time. */
const HOLD_REST_MS = 1_000;

/** @throws LicetError when the whole run cannot continue */
export async function acquire(deps: WorkerDeps, leaseId: string, signal: AbortSignal): Promise<void> {
  const batch = await deps.ledger.openAcquireBatch(leaseId);
  if (batch === null) {
    return;
  }
  const lease = keepLease(deps, leaseId, signal);
  const context: AcquireContext = {
    deps,
    leaseId,
    batch,
    signal: lease.signal,
    slowStart: createSlowStart(batch.isProven),
  };
  try {
    const ends = await Promise.allSettled(
      batch.purchases.map((purchase) => {
        const work = () => deps.pageSlots.run(() => acquirePage(context, purchase));
        // A started purchase does not wait for the slow start, because its request may already have been sent.
        return purchase.state === "started" ? work() : context.slowStart.pass(work);
      }),
    );
    await checkForbiddenContents(context);
    await finishBatch(context, ends);
  } finally {
    lease.stop();
  }
}

async function finishBatch(
  { deps, leaseId, batch }: AcquireContext,
  ends: readonly PromiseSettledResult<void>[],
): Promise<void> {
  const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  const ledgerFailure = failures.find((failure) => !isGatewayError(failure));
  if (ledgerFailure !== undefined) {
    throw ledgerFailure;
  }
  // A permanent failure matters more than a temporary one, so it is thrown first.
  const failure = failures.find((one) => isGatewayError(one) && one.retry === "never") ?? failures[0];
  if (failure !== undefined) {
    if (await retryBatch(deps, { leaseId, attempt: batch.attempt, call: "content_token" }, failure)) {
      return;
    }
    if (isGatewayError(failure) && (await restInOutage(deps, { leaseId, attempt: batch.attempt }, failure, []))) {
      return;
    }
    await deps.ledger.returnBatch({ leaseId, notBefore: deps.clock.now() });
    throw failure;
  }
  if (!(await deps.ledger.finishAcquireBatch(leaseId))) {
    const restMs = deps.buyingHold.isActive ? HOLD_REST_MS : 0;
    await deps.ledger.returnBatch({ leaseId, notBefore: deps.clock.now() + restMs });
  }
}

/** Works on a page until nothing more can be done for it. Each token that was not used leaves another purchase of the page (probe.ts), until the site gets none any more. */
async function acquirePage(context: AcquireContext, purchase: OpenPurchase): Promise<void> {
  let next: OpenPurchase | null = purchase;
  while (next !== null) {
    next = await acquireOnce(context, next);
  }
}

/** @returns another purchase of the page, for another token. Null: none */
async function acquireOnce(context: AcquireContext, purchase: OpenPurchase): Promise<OpenPurchase | null> {
  if (context.signal.aborted) {
    return null;
  }
  if (purchase.state === "started") {
    // This purchase was found after a crash. Nobody knows whether its request was sent, so it counts as sent.
    assertBug(purchase.token !== null, `started purchase ${purchase.purchaseId} has no token`);
    return fetchAndProbe(context, purchase, purchase.token, { mayHaveBeenSent: true });
  }
  const token = await context.deps.tokenSlots.run(() => begin(context, purchase));
  return token === null ? null : fetchAndProbe(context, purchase, token, { mayHaveBeenSent: false });
}

/**
 * Gets a token and commits the start.
 * @returns the token to fetch the page with. Null: the purchase is still reserved, released, or started by another worker
 */
async function begin(context: AcquireContext, purchase: OpenPurchase): Promise<OneTimeToken | null> {
  const { deps, batch, signal } = context;
  if (signal.aborted || deps.siteHealth.isStopped(batch.host) || deps.buyingHold.isActive) {
    return null;
  }
  const token = await issueToken(context, purchase);
  if (token === null || signal.aborted || deps.buyingHold.isActive) {
    return null;
  }
  const started = await startPurchase(context, purchase, token);
  return started ? token : null;
}

async function startPurchase(
  { deps, leaseId }: AcquireContext,
  { purchaseId }: OpenPurchase,
  token: OneTimeToken,
): Promise<boolean> {
  try {
    return await deps.ledger.startPurchase({
      leaseId,
      purchaseId,
      token,
      now: deps.clock.now(),
    });
  } catch (error) {
    // This failure ends the run, so no other page needs to request a token first.
    deps.buyingHold.begin();
    throw error;
  }
}

/**
 * Gets a token for the purchase at its quoted price.
 * @returns null when the run is stopping, or when the gateway refused the token and the purchase was released
 * @throws LicetError for a temporary failure (the purchase stays reserved) and for a failure that stops the run
 */
async function issueToken(context: AcquireContext, purchase: OpenPurchase): Promise<OneTimeToken | null> {
  const { deps, batch, signal } = context;
  try {
    const token = await requestToken(deps, purchase);
    deps.siteHealth.granted(batch.host, "token");
    deps.outagePolicy.reportSuccess("gateway");
    return token;
  } catch (error) {
    if (signal.aborted) {
      return null;
    }
    if (!isGatewayError(error)) {
      throw error;
    }
    const refused = error.retry === "never" && error.stops === "page";
    // A token request may fail because the page is not enabled. Nothing was bought then, so the page is released.
    const exhausted = error.retry === "later" && error.stops === "page" && batch.attempt >= deps.limits.batchAttempts;
    if (!refused && !exhausted && !isLicetError(error, "GATEWAY_FAILED")) {
      throw error;
    }
    // When the gateway does not even give the rates of the page, its failure says nothing about the page.
    const probes = [() => deps.gateway.quotePage(purchase.wireUrl, signal)];
    const about = `token ${purchase.purchaseId}`;
    if (!refused && (await deps.outagePolicy.isOutage({ about, error, probes }))) {
      throw error;
    }
    await release(context, purchase, refused ? "token_refused" : "token_failed", error);
    return null;
  }
}
