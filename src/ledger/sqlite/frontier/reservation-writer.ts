/** Writes what `decide` made of pages: purchases in acquire batches, and denials. Called within a write. */

import { assertBug } from "../../../errors.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { DecideRequest, PageDecision } from "../../frontier-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { accountOf, reservedTotal } from "../money/purchase-money.ts";
import type { LeasedBatch } from "../runs/batches.ts";
import { createDenialPrune } from "./denials.ts";

/** A page that fits everything. */
export interface Approval {
  readonly pageId: number;
  readonly lastMod: string | null;
  readonly lastModAt: number | null;
  readonly listing: PageDecision["listing"];
  readonly verdict: Extract<PageDecision["verdict"], { kind: "allowed" }>;
}

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
  const { batches } = parts;
  const insertPurchase = createPurchaseInsert(parts);
  const insertDenial = parts.db.prepare(
    `INSERT INTO denial (run_id, page_id, rule_index, policy_name, reason, detail, listing_id, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const prune = createDenialPrune(parts);
  const listingId = (listing: PageDecision["listing"]) => (listing === null ? null : parts.interned.listingId(listing));

  return {
    reserve({ runRowId, siteId }, request, approvals) {
      const { acquireBatchSize } = request;
      for (let start = 0; start < approvals.length; start += acquireBatchSize) {
        const chunk = approvals.slice(start, start + acquireBatchSize);
        const batchId = batches.add({ runRowId, siteId, stage: "acquire", size: chunk.length });
        for (const approval of chunk) {
          insertPurchase({ runRowId, siteId, batchId, request, approval, listingId: listingId(approval.listing) });
        }
      }
    },
    deny({ runRowId, siteId }, { policyName, now }, denials) {
      for (const { pageId, listing, ruleIndex, reason, detail } of denials) {
        if (
          insertDenial.run(runRowId, pageId, ruleIndex, policyName, reason, detail, listingId(listing), now).changes ===
          1
        ) {
          parts.tallies.add({ runRowId, siteId, kind: "denied", reason }, 1);
          prune(siteId, pageId);
        }
      }
    },
  };
}

interface NewPurchase {
  readonly runRowId: number;
  readonly siteId: number;
  readonly batchId: number;
  readonly request: DecideRequest;
  readonly approval: Approval;
  readonly listingId: number | null;
}

/** One reserved purchase with the money it sets aside. */
function createPurchaseInsert(core: LedgerCore): (purchase: NewPurchase) => void {
  const insert = core.db.prepare(
    `INSERT INTO purchase (run_id, site_id, page_id, url, batch_id, state, intent, format, policy_name, rule_index, rule_id, license_id,
       listing_id, quoted_micros, fee_micros, use_reserve_micros, currency, reports_fetch, reserved_at, last_mod, last_mod_at)
     VALUES (?, ?, ?, (SELECT coalesce(wire_url, url) FROM page WHERE id = ?), ?, 'reserved', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ runRowId, siteId, batchId, request, approval, listingId }) => {
    const { intent, format, policyName, now } = request;
    const ruleText = request.ruleTexts[approval.verdict.ruleIndex];
    assertBug(ruleText !== undefined, `policy ${policyName} has no rule ${approval.verdict.ruleIndex + 1}`);
    const { rate, ruleIndex, feeMicros, useReserveMicros } = approval.verdict;
    const quotedMicros = rate === null ? 0 : rate.price.micros;
    const currency = rate === null ? null : rate.price.currency;
    insert.run(
      runRowId,
      siteId,
      approval.pageId,
      approval.pageId,
      batchId,
      intent,
      format,
      policyName,
      ruleIndex,
      core.interned.ruleId(ruleText),
      rate === null ? null : core.interned.licenseId(rate.license),
      listingId,
      quotedMicros,
      feeMicros,
      useReserveMicros,
      currency,
      request.reportsFetch ? 1 : 0,
      now,
      approval.lastMod,
      approval.lastModAt,
    );
    if (currency !== null) {
      const row = { runRowId, siteId, quotedMicros, feeMicros, useReserveMicros, currency, reservedAt: now };
      accountOf(core, row, currency).reservedMicros += reservedTotal(row);
    }
  };
}
