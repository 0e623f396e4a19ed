/** Writes what `decide` made of pages: purchases in acquire batches, and denials. Called within a write. */

import { setAsideMicros, toSetAside } from "../../../budget/set-aside.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { DecideRequest, PageDecision } from "../../frontier-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { accountOf } from "../money/purchase-money.ts";
import type { Approval } from "../purchases/purchase-rows.ts";
import type { LeasedBatch } from "../runs/batches.ts";
import { createDenialPrune } from "./denials.ts";

export interface Denial {
  readonly pageId: number;
  readonly listing: PageDecision["listing"];
  readonly ruleIndex: number | null;
  readonly reason: DenialReason;
  readonly detail: string | null;
}

export interface ReservationWriter {
  reserve(batch: LeasedBatch, request: DecideRequest, approvals: readonly Approval[]): void;
  deny(batch: LeasedBatch, request: DecideRequest, denials: readonly Denial[]): void;
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
    reserve(batch, request, approvals) {
      const { runRowId, siteId } = batch;
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
          reserveMoney(parts, batch, approval, request.now);
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
function reserveMoney(core: LedgerCore, batch: LeasedBatch, { verdict }: Approval, reservedAt: number): void {
  if (verdict.rate !== null) {
    const { runRowId, siteId } = batch;
    const { currency } = verdict.rate.price;
    const row = { ...toSetAside(verdict), runRowId, siteId, currency, reservedAt };
    accountOf(core, row, currency).reservedMicros += setAsideMicros(row);
  }
}
