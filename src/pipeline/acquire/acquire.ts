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
import type { Slots } from "../work/slots.ts";
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
  const lease = keepLease(deps, { leaseId, leasedUntil: batch.leasedUntil }, signal);
  const context: AcquireContext = {
    deps,
    leaseId,
    batch,
    signal: lease.signal,
    slowStart: createSlowStart(batch.isProven),
  };
  try {
    const started = batch.purchases.filter(({ state }) => state === "started");
    const reserved = batch.purchases.filter(({ state }) => state !== "started");
    const { pageSlots } = deps;
    const failures = await Promise.all([
      // A started purchase does not wait for the slow start, because its request may already have been sent.
      acquireInTurn(context, started, [pageSlots]),
      acquireInTurn(context, reserved, [context.slowStart.slots, pageSlots]),
    ]);
    await checkForbiddenContents(context);
    await finishBatch(context, failures.flat());
  } finally {
    lease.stop();
  }
}

/**
 * Begins with the pages in their order, each as soon as it has its slots. One that still waits is an entry of the batch and nothing more.
 * @returns what failed
 */
async function acquireInTurn(
  context: AcquireContext,
  purchases: readonly OpenPurchase[],
  slots: readonly Slots[],
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  const pages: Promise<void>[] = [];
  for (const purchase of purchases) {
    for (const one of slots) {
      await one.enter();
    }
    await enterForToken(context, purchase);
    pages.push(acquireInSlots(purchase));
  }
  await Promise.all(pages);
  return failures;

  async function acquireInSlots(purchase: OpenPurchase): Promise<void> {
    try {
      await acquirePage(context, purchase);
    } catch (failure) {
      failures.push(failure);
    } finally {
      for (const one of slots) {
        one.leave();
      }
    }
  }
}

/** A purchase that will ask for a token has its slot before anything is done for it. `begin` leaves the slot. */
function enterForToken({ deps }: AcquireContext, purchase: OpenPurchase): Promise<void> {
  return purchase.state === "started" ? Promise.resolve() : deps.tokenSlots.enter();
}

async function finishBatch({ deps, leaseId, batch }: AcquireContext, failures: readonly unknown[]): Promise<void> {
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

/**
 * Works on a page until nothing more can be done for it. Each token that was not used leaves another purchase of the page (probe.ts), until the
 * site gets none any more. Begins in a slot for tokens (`enterForToken`).
 */
async function acquirePage(context: AcquireContext, purchase: OpenPurchase): Promise<void> {
  for (let next = purchase; ; ) {
    const mayHaveBeenSent = next.state === "started";
    const token = mayHaveBeenSent ? takeUp(context, next) : await begin(context, next);
    const another = token === null ? null : await fetchAndProbe(context, next, token, { mayHaveBeenSent });
    if (another === null) {
      return;
    }
    await enterForToken(context, another);
    next = another;
  }
}

/**
 * A purchase that was found after a crash. Nobody knows whether its request was sent, so it counts as sent.
 * @returns the token that it was started with. Null: the run is stopping
 */
function takeUp({ signal }: AcquireContext, { purchaseId, token }: OpenPurchase): OneTimeToken | null {
  if (signal.aborted) {
    return null;
  }
  assertBug(token !== null, `started purchase ${purchaseId} has no token`);
  return token;
}

/**
 * Gets a token and commits the start, and leaves its slot.
 * @returns the token to fetch the page with. Null: the purchase is still reserved, released, or started by another worker
 */
async function begin(context: AcquireContext, purchase: OpenPurchase): Promise<OneTimeToken | null> {
  const { deps, batch, signal } = context;
  const mayNotBuy = () => signal.aborted || deps.buyingHold.isActive;
  try {
    if (mayNotBuy() || deps.siteHealth.isStopped(batch.host)) {
      return null;
    }
    let token: OneTimeToken;
    try {
      token = await requestToken(deps, purchase);
    } catch (error) {
      await endWithoutToken(context, purchase, error);
      return null;
    }
    deps.siteHealth.granted(batch.host, "token");
    deps.outagePolicy.reportSuccess("gateway");
    const started = !mayNotBuy() && (await startPurchase(context, purchase, token));
    return started ? token : null;
  } finally {
    deps.tokenSlots.leave();
  }
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
 * No token came. Releases the purchase when the gateway refused it; when the run is stopping, it stays reserved.
 * @throws LicetError for a temporary failure (the purchase stays reserved) and for a failure that stops the run
 */
async function endWithoutToken(context: AcquireContext, purchase: OpenPurchase, error: unknown): Promise<void> {
  const { deps, batch, signal } = context;
  if (signal.aborted) {
    return;
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
}
