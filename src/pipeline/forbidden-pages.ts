/**
 * What pages that the gateway forbids (403) say of their site, and its end when they say that the account is not enabled for it.
 *
 * A refused token is looked into at once: tokens of other purchases are asked for, which costs nothing. Only what is reserved is asked for, at
 * its own terms: a token is an order that somebody must have decided. A refused content is not looked into, since asking for another one
 * would buy it; there the pages that are bought anyway are the others, and the batch's end is the time to look.
 */
import { partOfUrl } from "../catalog/url-path.ts";
import type { OpenPurchase } from "../ledger/purchase-ledger.ts";
import type { AcquireContext } from "./acquire-context.ts";
import { isAnyGranted } from "./granted-page.ts";
import { requestToken } from "./request-token.ts";
import { stopNotEnabled } from "./stop-not-enabled.ts";

/** @throws LicetError GATEWAY_* when the look itself meets a failure; the page is given up by then */
export async function noteForbidden(
  context: AcquireContext,
  purchase: OpenPurchase,
  step: "token" | "content",
): Promise<void> {
  const { deps, batch } = context;
  const { siteHealth } = deps;
  siteHealth.forbidden(batch.host, step, purchase.url);
  const isOpen = step === "token" && siteHealth.isSuspect(batch.host, step) && !siteHealth.isStopped(batch.host);
  if (!isOpen || !siteHealth.beginLook(batch.host)) {
    return;
  }
  try {
    await lookAtTokens(context, purchase);
  } finally {
    siteHealth.endLook(batch.host);
  }
}

/**
 * Asks for tokens of purchases that are reserved in this run, each at its own terms, those of other parts of the site first. Where one part
 * was refused and nothing of another one is reserved, that says nothing of the site, unless its whole catalog has no other.
 */
async function lookAtTokens(context: AcquireContext, purchase: OpenPurchase): Promise<void> {
  const { deps, batch, signal } = context;
  const { ledger, siteHealth } = deps;
  const { runId, host } = batch;
  const query = { runId, host, part: partOfUrl(purchase.url) };
  const { otherParts, samePart } = await ledger.findReserved(query);
  const isPartOnly = otherParts.length === 0 && siteHealth.forbiddenParts(host, "token") === 1;
  if (isPartOnly && !(await isOnePart(context, query))) {
    return;
  }
  const others = [...otherParts, samePart].filter((other) => other !== null);
  const isGranted = await isAnyGranted(others.map((other) => () => requestToken(deps, other)));
  if (isGranted) {
    siteHealth.granted(host, "token");
  } else if (!signal.aborted && siteHealth.isSuspect(host, "token")) {
    await stopOnce(context);
  }
}

/**
 * Stops the site when no content of it was ever granted, many were forbidden, and they are not all of one part of it.
 * A site that has one part only, as far as its whole catalog says, is that part.
 */
export async function checkForbiddenContents(context: AcquireContext): Promise<void> {
  const { deps, batch } = context;
  const { runId, host } = batch;
  const [first] = batch.purchases;
  if (first === undefined || !deps.siteHealth.isSuspect(host, "content")) {
    return;
  }
  const query = { runId, host, part: partOfUrl(first.url) };
  if (deps.siteHealth.forbiddenParts(host, "content") > 1 || (await isOnePart(context, query))) {
    await stopOnce(context);
  }
}

/** Whether the site has no other part, as far as its whole catalog says. */
async function isOnePart(
  { deps }: AcquireContext,
  query: { readonly runId: string; readonly host: string; readonly part: string },
): Promise<boolean> {
  const { otherPart, walkEnded } = await deps.ledger.findElsewhere(query);
  return otherPart === null && walkEnded;
}

async function stopOnce({ deps, batch }: AcquireContext): Promise<void> {
  if (!deps.siteHealth.claimStop(batch.host)) {
    return;
  }
  try {
    await stopNotEnabled(deps, batch);
  } catch (error) {
    // The ledger does not know of the stop: its purchases are still to be bought, or the site to be stopped by somebody else.
    deps.siteHealth.withdrawStop(batch.host);
    throw error;
  }
}
