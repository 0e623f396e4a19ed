/**
 * What pages that the gateway forbids (403) say of their site, and its end when they say that the account is not enabled for it.
 *
 * A refused token is looked into at once: tokens of other pages are asked for, which costs nothing. A refused content is not, since
 * asking for another one would buy it; there the pages that are bought anyway are the others, and the batch's end is the time to look.
 */
import { partOfUrl } from "../catalog/url-path.ts";
import type { OpenPurchase } from "../ledger/purchase-ledger.ts";
import type { AcquireContext } from "./acquire-context.ts";
import { isAnyGranted, listElsewhere } from "./granted-page.ts";
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

async function lookAtTokens(context: AcquireContext, purchase: OpenPurchase): Promise<void> {
  const { deps, batch } = context;
  const { runId, host } = batch;
  const part = partOfUrl(purchase.url);
  const elsewhere = await deps.ledger.findElsewhere({ runId, host, part });
  const others = new Map<string, OpenPurchase>();
  for (const other of [batch.purchases.find(({ url }) => partOfUrl(url) !== part), batch.purchases.at(-1)]) {
    if (other !== undefined) {
      others.set(other.wireUrl, other);
    }
  }
  for (const wireUrl of listElsewhere(elsewhere)) {
    others.set(wireUrl, others.get(wireUrl) ?? { ...purchase, wireUrl });
  }
  if (await isAnyGranted([...others.values()].map((other) => () => requestToken(deps, other)))) {
    deps.siteHealth.granted(host, "token");
  } else if (others.size > 1 || elsewhere.walkEnded) {
    await stopOnce(context);
  }
}

/**
 * Stops the site when no content of it was ever granted, many were forbidden, and they are not all of one part of it.
 * A site that has one part only, as far as its whole catalog says, is that part.
 */
export async function judgeContents(context: AcquireContext): Promise<void> {
  const { deps, batch } = context;
  const { runId, host } = batch;
  const [first] = batch.purchases;
  if (first === undefined || !deps.siteHealth.isSuspect(host, "content")) {
    return;
  }
  const { otherPart, walkEnded } = await deps.ledger.findElsewhere({ runId, host, part: partOfUrl(first.url) });
  if (deps.siteHealth.forbiddenParts(host, "content") > 1 || (otherPart === null && walkEnded)) {
    await stopOnce(context);
  }
}

async function stopOnce({ deps, batch }: AcquireContext): Promise<void> {
  if (deps.siteHealth.claimStop(batch.host)) {
    await stopNotEnabled(deps, batch);
  }
}
