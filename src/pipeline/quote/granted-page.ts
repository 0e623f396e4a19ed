/**
 * Looks for a page of a site that is not forbidden, before the site is stopped. Five refused pages, or one part of the site that
 * the account may not read, must not stop the rest of the site.
 */
import { partOfUrl } from "../../catalog/url-path.ts";
import { type ErrorCode, isLicetError } from "../../errors.ts";
import type { Elsewhere, FrontierPage } from "../../ledger/frontier-ledger.ts";
import { FORBIDDEN_IN_A_ROW } from "../site-health.ts";
import type { WorkerDeps } from "../stage-deps.ts";

/** Answers that may concern only one URL of a batch. */
export const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  "GATEWAY_REFUSED",
  "GATEWAY_NOT_FOUND",
  "GATEWAY_FORBIDDEN",
  "GATEWAY_ANSWER_TOO_LARGE",
]);

/**
 * Says whether one of these requests is granted, or refused with a status other than 403. In both cases the account is enabled.
 */
export async function isAnyGranted(requests: readonly (() => Promise<unknown>)[]): Promise<boolean> {
  for (const request of requests) {
    try {
      await request();
      return true;
    } catch (error) {
      if (!isLicetError(error) || !REFUSALS.has(error.code)) {
        throw error;
      }
      if (error.code !== "GATEWAY_FORBIDDEN") {
        return true;
      }
    }
  }
  return false;
}

/**
 * Says whether the gateway grants the rates of one page when it is requested alone: a page of the forbidden batch, or one
 * elsewhere on the site.
 */
export function findGrantedPage(
  { gateway }: Pick<WorkerDeps, "gateway">,
  pages: readonly FrontierPage[],
  elsewhere: Elsewhere,
  signal: AbortSignal,
): Promise<boolean> {
  const own = sample(pages);
  const isOnePart = new Set(own.map(({ url }) => partOfUrl(url))).size === 1;
  const others = isOnePart ? listElsewhere(elsewhere) : [];
  const urls = new Set([...own.map(({ wireUrl }) => wireUrl), ...others]);
  return isAnyGranted([...urls].map((url) => () => gateway.quotePage(url, signal)));
}

function listElsewhere({ otherPart, stored }: Elsewhere): readonly string[] {
  return [otherPart, stored].filter((url) => url !== null);
}

/** Picks a few pages: from as many parts of the site as possible, and from all over the batch. */
export function sample<Page extends { readonly url: string }>(pages: readonly Page[]): readonly Page[] {
  const ofParts = new Map<string, Page>();
  for (const page of pages) {
    const part = partOfUrl(page.url);
    if (!ofParts.has(part)) {
      ofParts.set(part, page);
    }
  }
  const last = pages.length - 1;
  const spread = Array.from({ length: FORBIDDEN_IN_A_ROW }, (_, index) =>
    pages.slice(Math.round((last * index) / (FORBIDDEN_IN_A_ROW - 1))),
  ).flatMap(([page]) => (page === undefined ? [] : [page]));
  return [...new Set([...ofParts.values(), ...spread])].slice(0, FORBIDDEN_IN_A_ROW);
}
