/** Writes what `decide` made of pages: purchases in acquire batches, and denials. Called within a write. */

import type { DenialReason } from "../../../policy/verdict.ts";
import type { DecisionTerms, PageDecision, SiteTerms } from "../../frontier-ledger.ts";
import type { Tx } from "../operation.ts";
import type { Approval } from "../purchases/purchase-rows.ts";
import { insertPurchase } from "../purchases/purchase-rows.ts";
import { addBatch } from "../runs/batches.ts";
import { pruneOldDenials } from "./denials.ts";

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
    const batchId = addBatch(tx, { runRowId, siteId, stage: "acquire", size: chunk.length });
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
