/** Writes what `decide` made of pages: purchases in acquire batches, and denials. Called within a write. */

import { setAsideMicros, toSetAside } from "../../../budget/set-aside.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { DecisionTerms, PageDecision, SiteTerms } from "../../frontier-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { accountOf } from "../money/purchase-money.ts";
import type { Approval } from "../purchases/purchase-rows.ts";
import { createDenialPrune } from "./denials.ts";

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

export interface ReservationWriter {
  reserve(site: RunSite, terms: SiteTerms & DecisionTerms, approvals: readonly Approval[]): void;
  deny(site: RunSite, terms: Pick<SiteTerms & DecisionTerms, "policyName" | "now">, denials: readonly Denial[]): void;
}

export function createReservationWriter(parts: LedgerParts): ReservationWriter {
  const { batches, purchaseRows } = parts;
  const insertDenial = parts.db.prepare(
    `INSERT INTO denial (run_id, page_id, rule_index, policy_name, reason, detail, listing_id, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const prune = createDenialPrune(parts);
  const listingId = (listing: PageDecision["listing"]) => (listing === null ? null : parts.lookups.listingId(listing));

  return {
    reserve(site, request, approvals) {
      const { runRowId, siteId } = site;
      const { acquireBatchSize } = request;
      for (let start = 0; start < approvals.length; start += acquireBatchSize) {
        const chunk = approvals.slice(start, start + acquireBatchSize);
        const batchId = batches.add({ runRowId, siteId, stage: "acquire", size: chunk.length });
        for (const approval of chunk) {
          purchaseRows.reserve({
            runRowId,
            siteId,
            batchId,
            request,
            approval,
            listingId: listingId(approval.listing),
          });
          reserveMoney(parts, site, approval, request.now);
        }
      }
    },
    deny({ runRowId, siteId }, { policyName, now }, denials) {
      for (const { pageId, listing, ruleIndex, reason, detail } of denials) {
        if (
          insertDenial.run(runRowId, pageId, ruleIndex, policyName, reason, detail, listingId(listing), now).changes ===
          1
        ) {
          parts.counters.add({ runRowId, siteId, kind: "denied", reason }, 1);
          prune(siteId, pageId);
        }
      }
    },
  };
}

/** The money that an approved page sets aside, where it has a price. */
function reserveMoney(
  core: LedgerCore,
  { runRowId, siteId }: RunSite,
  { verdict }: Approval,
  reservedAt: number,
): void {
  if (verdict.rate !== null) {
    const { currency } = verdict.rate.price;
    const row = { ...toSetAside(verdict), runRowId, siteId, currency, reservedAt };
    accountOf(core, row, currency).reservedMicros += setAsideMicros(row);
  }
}
