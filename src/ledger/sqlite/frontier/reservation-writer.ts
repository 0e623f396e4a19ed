/** Writes what `decide` made of pages: purchases in acquire batches, and denials. Called within a write. */

import type { DenialReason } from "../../../policy/verdict.ts";
import type { DecisionTerms, PageDecision, SiteTerms } from "../../frontier-ledger.ts";
import type { Tx } from "../operation.ts";
import { type Approval, insertPurchase } from "../purchases/purchase-rows.ts";
import { addAcquireBatch } from "../runs/batches.ts";

export interface Denial {
  readonly pageId: number;
  readonly listing: PageDecision["listing"];
  readonly ruleIndex: number | null;
  readonly reason: DenialReason;
  readonly detail: string | null;
}

/** A site of a run, by their rows. */
interface RunSite {
  readonly runRowId: number;
  readonly siteId: number;
}

/** Writes the purchases of approved pages of a site, in acquire batches, and sets their money aside. */
export function reservePages(
  tx: Tx,
  site: RunSite,
  request: SiteTerms & DecisionTerms,
  approvals: readonly Approval[],
): void {
  const { runRowId, siteId } = site;
  const { acquireBatchSize } = request;
  for (let start = 0; start < approvals.length; start += acquireBatchSize) {
    const chunk = approvals.slice(start, start + acquireBatchSize);
    const batchId = addAcquireBatch(tx, { runRowId, siteId, size: chunk.length });
    for (const approval of chunk) {
      insertPurchase(tx, {
        runRowId,
        siteId,
        batchId,
        request,
        approval,
        listingId: listingId(tx, approval.listing),
      });
    }
  }
}

/** Writes the denials of pages of a site. A page that the run has denied before stays denied for that reason. */
export function denyPages(
  tx: Tx,
  { runRowId, siteId }: RunSite,
  { policyName, now }: Pick<SiteTerms & DecisionTerms, "policyName" | "now">,
  denials: readonly Denial[],
): void {
  for (const { pageId, listing, ruleIndex, reason, detail } of denials) {
    if (
      tx.changed`INSERT INTO denial (run_id, page_id, rule_index, policy_name, reason, detail, listing_id, at) VALUES (${runRowId}, ${pageId},
        ${ruleIndex}, ${policyName}, ${reason}, ${detail}, ${listingId(tx, listing)}, ${now})
        ON CONFLICT DO NOTHING`
    ) {
      tx.counters.add({ runRowId, siteId, kind: "denied", reason }, 1);
      pruneOldDenials(tx, siteId, pageId);
    }
  }
}

function listingId(tx: Tx, listing: PageDecision["listing"]) {
  return listing === null ? null : tx.lookups.listingId(listing);
}

/**
 * Denials of one page that are kept. Old ones go as new ones come: a page that no policy allows is denied by every run, and only the last few
 * denials say anything to `explain`. What is gone is still counted (tally `pruned`), so that the sums of its run add up.
 */
export const KEPT_DENIALS = 5;

const SELECT_OLD = `SELECT d.run_id AS runRowId, d.reason FROM denial d JOIN run r ON r.id = d.run_id
  WHERE d.page_id = @pageId
    AND d.run_id <= (SELECT run_id FROM denial WHERE page_id = @pageId ORDER BY run_id DESC LIMIT 1 OFFSET ${KEPT_DENIALS})
    AND r.frontier_dropped = 1
    AND NOT EXISTS (SELECT 1 FROM purchase u WHERE u.page_id = d.page_id AND u.run_id = d.run_id)`;

/**
 * Prunes what is beyond the last KEPT_DENIALS of a page. Never of a run that may go on, whose frontier names them; nor where the run
 * bought the page as well, which would count it twice.
 */
function pruneOldDenials(tx: Tx, siteId: number, pageId: number): void {
  for (const { runRowId, reason } of tx.all<{ runRowId: number; reason: DenialReason }>(SELECT_OLD, { pageId })) {
    tx.run`DELETE FROM denial WHERE page_id = ${pageId} AND run_id = ${runRowId}`;
    tx.counters.add({ runRowId, siteId, kind: "pruned", reason }, 1);
  }
}
