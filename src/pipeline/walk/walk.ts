/**
 * Stage 1: reads one page of a site's catalog into the frontier. Entries that are not pages of the
 * site are counted and recorded with their reason. The ledger decides which of the other entries are worth a quote.
 */

import type { CatalogEntry, CatalogPage } from "../../catalog/catalog-entry.ts";
import { parseLastMod } from "../../catalog/last-mod.ts";
import { parsePageUrl } from "../../catalog/page-url.ts";
import { advanceWalk } from "../../catalog/walk-state.ts";
import { isLicetError, type LicetError } from "../../errors.ts";
import type { OpenedWalk, WalkedEntry } from "../../ledger/frontier-ledger.ts";
import { ageTermsOf } from "../age-terms.ts";
import { stopNotEnabled } from "../quote/stop-not-enabled.ts";
import { siteOf } from "../site-of.ts";
import type { SiteSettings, StageDeps } from "../stage-deps.ts";
import { describeFailure } from "../work/describe-failure.ts";
import { keepLease } from "../work/keep-lease.ts";
import { isGatewayError, restInOutage, retryBatch } from "../work/retry-batch.ts";
import { admitRenewals } from "./admit-renewals.ts";

/** @throws LicetError when the whole run cannot continue (a wrong key, an unreachable gateway, a failure of the ledger) */
export async function walk(deps: StageDeps, leaseId: string, signal: AbortSignal): Promise<void> {
  const opened = await deps.ledger.openWalk(leaseId);
  if (opened === null) {
    return;
  }
  const site = siteOf(deps, opened.host);
  // The answer of a slow gateway, with its retries, may take longer than one lease.
  const lease = keepLease(deps, { leaseId, leasedUntil: opened.leasedUntil }, signal);
  let page: CatalogPage;
  try {
    page = await deps.gateway.listCatalog(
      { host: opened.host, pageToken: opened.walk.pageToken, pageSize: deps.limits.catalogPageSize },
      lease.signal,
    );
    deps.outagePolicy.reportSuccess("gateway");
    await admitRenewals(deps, leaseId, opened);
  } catch (error) {
    return await settleFailedWalk(deps, leaseId, opened, error, lease.signal);
  } finally {
    lease.stop();
  }
  await recordPage(deps, leaseId, opened, site, page);
}

async function recordPage(
  deps: StageDeps,
  leaseId: string,
  opened: OpenedWalk,
  site: SiteSettings,
  page: CatalogPage,
): Promise<void> {
  const now = deps.clock.now();
  const { entries, rejected } = readEntries(page.entries, site, now);
  const ages = ageTermsOf(deps, now);
  const recorded = await deps.ledger.recordCatalogPage({
    leaseId,
    now,
    entries,
    rejected:
      page.unreadable === 0
        ? rejected
        : [...rejected, ...Array.from({ length: page.unreadable }, () => ({ raw: "", reason: "unreadable" }))],
    refresh: ages.refreshOf(site),
    expiry: ages.expiry,
    next: advanceWalk(
      opened.walk,
      entries.map((entry) => entry.lastModAt),
      page.nextPageToken,
    ),
    quoteBatchSize: deps.limits.quoteBatchSize,
    intent: site.policy.policy.intent,
  });
  if (recorded.stale) {
    return;
  }
  if (recorded.looped) {
    deps.events.warned(`the catalog of ${opened.host} returned to a page that was read before: the walk ended there`);
  }
  if (recorded.idle) {
    deps.events.warned(`the catalog of ${opened.host} continued without any new entry: the walk ended there`);
  }
  if (recorded.otherScheme !== null) {
    deps.events.twoSchemes({ host: opened.host, example: recorded.otherScheme, namedBy: "catalog" });
  }
  deps.globWatch.walked({ host: opened.host, walk: opened.walk, entries, recorded });
  const { seen, candidates, walkEnded } = recorded;
  deps.events.walked({ host: opened.host, seen, candidates, ended: walkEnded });
}

function readEntries(
  raw: readonly CatalogEntry[],
  site: SiteSettings,
  now: number,
): { entries: WalkedEntry[]; rejected: { raw: string; reason: string }[] } {
  const entries: WalkedEntry[] = [];
  const rejected: { raw: string; reason: string }[] = [];
  for (const { pageUrl, lastMod, propertyId } of raw) {
    const parsed = parsePageUrl(pageUrl, site.host);
    if (!parsed.ok) {
      rejected.push({ raw: pageUrl, reason: parsed.reason });
      continue;
    }
    const lastModAt = lastMod === null ? null : parseLastMod(lastMod);
    entries.push({
      url: parsed.pageUrl.url,
      wireUrl: parsed.pageUrl.wireUrl,
      lastMod,
      // A date in the future would raise the high-water mark above all later changes.
      lastModAt: lastModAt === null ? null : Math.min(lastModAt, now),
      propertyId,
      excluded: site.isExcluded(parsed.pageUrl.path),
    });
  }
  return { entries, rejected };
}

async function settleFailedWalk(
  deps: StageDeps,
  leaseId: string,
  opened: OpenedWalk,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
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
  // This gateway has never answered, so its address is probably wrong.
  const neverAnswered = isLicetError(error, "GATEWAY_UNREACHABLE") && opened.walk.pagesRead === 0;
  if (!neverAnswered && (await retryBatch(deps, { leaseId, attempt: opened.attempt, call: "catalog" }, error))) {
    return;
  }
  if (error.stops === "run") {
    throw error;
  }
  if (await restInOutage(deps, { leaseId, attempt: opened.attempt }, error, otherCatalogs(deps, opened, signal))) {
    return;
  }
  await cutWalk(deps, leaseId, opened, error);
}

/** Other sites whose catalogs are asked for when one cannot be read. */
const MAX_OTHER_SITES = 3;

/** Reads the first page of this catalog, when only a later page fails, and those of other sites. */
function otherCatalogs(
  { gateway, sites }: Pick<StageDeps, "gateway" | "sites">,
  { host, walk: state }: OpenedWalk,
  signal: AbortSignal,
): readonly (() => Promise<unknown>)[] {
  const others = [...sites.keys()].filter((other) => other !== host).slice(0, MAX_OTHER_SITES);
  const hosts = state.pagesRead === 0 ? others : [host, ...others];
  return hosts.map((one) => () => gateway.listCatalog({ host: one, pageToken: null, pageSize: 1 }, signal));
}

/**
 * Ends a walk when the catalog cannot be read further. Pages that were found are processed. A site is stopped when nothing of it
 * could be read.
 */
async function cutWalk(
  deps: StageDeps,
  leaseId: string,
  { host, runId, walk: state }: OpenedWalk,
  error: LicetError,
): Promise<void> {
  const now = deps.clock.now();
  if (state.pagesRead === 0) {
    await deps.ledger.stopSite({ runId, host, stop: "walk_failed", detail: error.message, now });
    const detail = `the catalog of ${host} cannot be read: ${describeFailure(error)}`;
    deps.events.siteStopped({ host, stop: "walk_failed", detail });
    return;
  }
  const warning = `the catalog could not be read past page ${state.pagesRead}: ${describeFailure(error)}`;
  if (await deps.ledger.endWalk({ leaseId, warning, now })) {
    deps.events.warned(`${host}: ${warning}`);
    deps.events.walked({ host, seen: 0, candidates: 0, ended: true });
  }
}
