/**
 * Stage 2: asks the rates of a batch of pages (gateway-spec § Endpoints 6), halving the batch on a refusal so that one bad
 * URL never costs its neighbours, then has them decided in one transaction.
 */
import { type ErrorCode, isLicetError, type LicetError } from "../errors.ts";
import type { FrontierPage, OpenedQuoteBatch } from "../ledger/frontier-ledger.ts";
import type { RateListing } from "../rates/rate.ts";
import { decide } from "./decide.ts";
import { keepLease } from "./keep-lease.ts";
import { isGatewayError, retryBatch } from "./retry-batch.ts";
import { FORBIDDEN_IN_A_ROW } from "./site-health.ts";
import { siteOf } from "./site-of.ts";
import type { StageDeps } from "./stage-deps.ts";
import { stopNotEnabled } from "./stop-not-enabled.ts";
import { tellFailure } from "./tell-failure.ts";

/** What came of asking for one page's rates: a listing, silence, or a refusal of that URL alone. */
export type Quote =
  | { readonly kind: "listed"; readonly listing: RateListing }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly detail: string };

/** @throws LicetError when the whole run cannot go on */
export async function quote(deps: StageDeps, leaseId: string, signal: AbortSignal): Promise<void> {
  const opened = await deps.ledger.openQuoteBatch(leaseId);
  if (opened === null) {
    return;
  }
  const site = siteOf(deps, opened.host);
  if (site.policy.policy.intent === "indexing") {
    return decide(deps, leaseId, opened, null);
  }
  // A batch with many refused URLs is asked in many pieces: longer than a lease lasts by itself.
  const lease = keepLease(deps, leaseId, signal);
  let quotes: Quote[];
  try {
    quotes = await quotePages(deps, opened.pages, lease.signal);
  } catch (error) {
    return await settleFailedQuote(deps, leaseId, opened, error, lease.signal);
  } finally {
    lease.stop();
  }
  await decide(deps, leaseId, opened, quotes);
}

/**
 * The quotes of pages, in their order.
 * @throws LicetError GATEWAY_*; GATEWAY_FORBIDDEN only when pages asked alone are forbidden like the whole batch: then it is
 *   the site, not a page
 */
export async function quotePages(
  deps: Pick<StageDeps, "gateway">,
  pages: readonly FrontierPage[],
  signal: AbortSignal,
): Promise<Quote[]> {
  if (pages.length === 0) {
    return [];
  }
  try {
    return await quoteAtOnce(deps, pages, signal);
  } catch (error) {
    if (pages.length > 1 && isLicetError(error, "GATEWAY_FORBIDDEN")) {
      await findGrantedPage(deps, pages, error, signal);
    }
    return quoteInHalves(deps, pages, error, signal);
  }
}

/**
 * Resolves when one of the first pages, asked alone, is not forbidden: then the 403 of the batch is about some page of it. One
 * forbidden page must not end the site, and a site that is not enabled must not be asked page by page.
 * @throws LicetError GATEWAY_FORBIDDEN when every page that was asked is forbidden too
 */
async function findGrantedPage(
  deps: Pick<StageDeps, "gateway">,
  pages: readonly FrontierPage[],
  forbidden: LicetError,
  signal: AbortSignal,
): Promise<void> {
  for (const { wireUrl } of pages.slice(0, FORBIDDEN_IN_A_ROW)) {
    try {
      await deps.gateway.quotePage(wireUrl, signal);
      return;
    } catch (error) {
      if (!isLicetError(error) || !REFUSALS.has(error.code)) {
        throw error;
      }
      if (error.code !== "GATEWAY_FORBIDDEN") {
        return;
      }
    }
  }
  throw forbidden;
}

async function quoteAtOnce(
  deps: Pick<StageDeps, "gateway">,
  pages: readonly FrontierPage[],
  signal: AbortSignal,
): Promise<Quote[]> {
  const listings = await deps.gateway.quoteBatch(
    pages.map((page) => page.wireUrl),
    signal,
  );
  return pages.map((page) => {
    const listing = listings.get(page.wireUrl);
    return listing === undefined ? { kind: "missing" } : { kind: "listed", listing };
  });
}

/** @param error why all of them at once failed; thrown on when it is no refusal */
async function quoteInHalves(
  deps: Pick<StageDeps, "gateway">,
  pages: readonly FrontierPage[],
  error: unknown,
  signal: AbortSignal,
): Promise<Quote[]> {
  if (!isLicetError(error) || !REFUSALS.has(error.code)) {
    throw error;
  }
  if (pages.length === 1) {
    return [{ kind: "refused", detail: error.message }];
  }
  const middle = Math.ceil(pages.length / 2);
  const quotes: Quote[] = [];
  for (const half of [pages.slice(0, middle), pages.slice(middle)]) {
    try {
      quotes.push(...(await quoteAtOnce(deps, half, signal)));
    } catch (halfError) {
      quotes.push(...(await quoteInHalves(deps, half, halfError, signal)));
    }
  }
  return quotes;
}

/** Answers that may be about one URL of a batch. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  "GATEWAY_REFUSED",
  "GATEWAY_NOT_FOUND",
  "GATEWAY_FORBIDDEN",
  "GATEWAY_ANSWER_TOO_LARGE",
]);

/** What a failure of a quote batch ends: nothing (it is tried again), its site, or by a throw the run. */
export async function settleFailedQuote(
  deps: StageDeps,
  leaseId: string,
  opened: OpenedQuoteBatch,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { host, runId } = opened;
  const now = deps.clock.now();
  if (signal.aborted) {
    await deps.ledger.returnBatch({ leaseId, notBefore: now });
    return;
  }
  if (!isGatewayError(error)) {
    throw error;
  }
  if (isLicetError(error, "GATEWAY_FORBIDDEN")) {
    return stopNotEnabled(deps, opened);
  }
  if (await retryBatch(deps, { leaseId, attempt: opened.attempt }, error)) {
    return;
  }
  if (error.stops === "run") {
    throw error;
  }
  await deps.ledger.stopSite({ runId, host, stop: "failed", detail: error.message, now });
  const detail = `the rates of ${host} cannot be read: ${tellFailure(error)}`;
  deps.events.siteStopped({ host, stop: "failed", detail });
}
