/**
 * Stored pages whose rights ended and are to be renewed (`onExpiry: relicense`) enter the run here. An incremental walk ends above a page
 * that did not change, so the walk alone would never find them. A full walk finds every page that the catalog has.
 */
import { parsePageUrl } from "../../catalog/page-url.ts";
import type { OpenedWalk } from "../../ledger/frontier-ledger.ts";
import type { EndingCursor } from "../../ledger/rights-ledger.ts";
import { isAnyRenewed } from "../../rights/renewal.ts";
import { siteOf } from "../site-of.ts";
import type { StageDeps } from "../stage-deps.ts";

/** Pages that enter the frontier in one transaction. */
const PAGES_AT_ONCE = 500;

/** Called under the lease of the walk's first page: after a crash it begins anew, and passes over what has entered. */
export async function admitRenewals(deps: StageDeps, leaseId: string, { host, walk }: OpenedWalk): Promise<void> {
  const { ledger, clock, expiry: policies, events, limits, buyingClock } = deps;
  if (walk.pagesRead > 0 || walk.stopBelowAt === null || !isAnyRenewed(policies)) {
    return;
  }
  const site = siteOf(deps, host);
  let total = 0;
  for (let after: EndingCursor | null | undefined; after !== null; ) {
    const now = clock.now();
    if (!buyingClock.isSure(now)) {
      break;
    }
    const { stale, pages, next } = await ledger.listRenewals({
      leaseId,
      policies,
      now,
      after: after ?? null,
      limit: PAGES_AT_ONCE,
    });
    if (stale) {
      return;
    }
    const pageIds = pages.flatMap(({ pageId, url }) => {
      const parsed = parsePageUrl(url, host);
      return parsed.ok && !site.isExcluded(parsed.pageUrl.path) ? [pageId] : [];
    });
    if (pageIds.length > 0) {
      const { admitted } = await ledger.admitRenewals({
        leaseId,
        pageIds,
        policies,
        now,
        refresh: site.refresh,
        intent: site.policy.policy.intent,
        quoteBatchSize: limits.quoteBatchSize,
      });
      total += admitted;
    }
    after = next;
  }
  if (total > 0) {
    events.walked({ host, seen: total, candidates: total, ended: false });
  }
}
