/**
 * Decides what forbidden pages (403) mean for their site, and stops the site when the account is not enabled for it.
 *
 * After a refused token the site is checked at once: tokens of other purchases are requested, which costs nothing. Only tokens of
 * reserved purchases are requested, at their own terms, because a token is an order and each order needs a decision. After
 * refused content no extra request is sent, because it would buy a page. The pages of the batch that are bought anyway serve as
 * the check, so the check waits for the end of the batch.
 */
import { partOfUrl } from "../../catalog/url-path.ts";
import type { OpenPurchase } from "../../ledger/purchase-ledger.ts";
import { isAnyGranted } from "../quote/granted-page.ts";
import { stopNotEnabled } from "../quote/stop-not-enabled.ts";
import type { AcquireContext } from "./acquire-context.ts";
import { requestToken } from "./request-token.ts";

/** @throws LicetError GATEWAY_* when the check itself fails; the page is released by then */
export async function noteForbidden(
  context: AcquireContext,
  purchase: OpenPurchase,
  step: "token" | "content",
): Promise<void> {
  const { deps, batch } = context;
  const { siteHealth } = deps;
  siteHealth.forbidden(batch.host, step, purchase.url);
  const isOpen = step === "token" && siteHealth.isSuspect(batch.host, step) && !siteHealth.isStopped(batch.host);
  if (!isOpen || !siteHealth.beginCheck(batch.host)) {
    return;
  }
  try {
    await checkTokens(context, purchase);
  } finally {
    siteHealth.endCheck(batch.host);
  }
}

/**
 * Requests tokens of purchases that are reserved in this run, each at its own terms. Purchases in other parts of the site come
 * first. If one part was refused and no page of another part is reserved, the check proves nothing about the site, unless the
 * whole catalog has only this part.
 */
async function checkTokens(context: AcquireContext, purchase: OpenPurchase): Promise<void> {
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
 * Stops the site when none of its content was ever granted, many pages were forbidden, and these pages are not all in one part of
 * the site. The last condition does not count for a site whose whole catalog has only one part.
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

/** Says whether the site's whole catalog has no other part. */
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
    // The ledger did not record the stop. Another call may buy the site's purchases or stop the site.
    deps.siteHealth.withdrawStop(batch.host);
    throw error;
  }
}
