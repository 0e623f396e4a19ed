/** Purchases that end without content, with their money and their counts. Called within a write, but for the port's methods. */
import { setAsideMicros } from "../../../budget/set-aside.ts";
import { type DoubtReason, isTakenBack, type ReleaseReason } from "../../../purchase/purchase.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { accountOf } from "../money/purchase-money.ts";
import type { Ending } from "./purchase-rows.ts";

/** Released: what it set aside is free again. False when it could not be released for this reason (`PurchaseRows.release`). */
export function createPurchaseRelease(
  parts: LedgerCore & Pick<LedgerParts, "purchaseRows">,
): (release: Ending<ReleaseReason>) => boolean {
  const uncountOfRun = parts.db.prepare<[number]>("UPDATE run SET approved = approved - 1 WHERE id = ?");
  const uncountOfSite = parts.db.prepare<[number, number]>(
    "UPDATE run_site SET approved = approved - 1 WHERE run_id = ? AND site_id = ?",
  );
  return (release) => {
    const row = parts.purchaseRows.release(release);
    if (row === null) {
      return false;
    }
    if (row.currency !== null) {
      accountOf(parts, row, row.currency).reservedMicros -= setAsideMicros(row);
    }
    const { runRowId, siteId } = row;
    const { reason } = release;
    parts.counters.add({ runRowId, siteId, kind: "released", reason }, 1);
    if (isTakenBack(reason)) {
      // The page may be decided again, and would count twice against maxPages.
      uncountOfRun.run(runRowId);
      uncountOfSite.run(runRowId, siteId);
      parts.counters.add({ runRowId, siteId, kind: "approved" }, -1);
    }
    return true;
  };
}

/**
 * Writes: one purchase, its balances and count. Idempotent: false when it was neither reserved nor started, or the lease is stale:
 * whoever has the batch by now may have sent the same token, and been charged.
 */
export function createReleasePurchase(parts: LedgerParts): Ledger["releasePurchase"] {
  const { releasePurchase, batches } = parts;
  return ({ leaseId, ...request }) =>
    parts.write(() =>
      leaseId !== undefined && batches.find(leaseId, "acquire") === null ? false : releasePurchase(request),
    );
}

/** In doubt: all that was reserved counts as in doubt from now on. False when it was not started. */
export function createPurchaseDoubt(
  parts: LedgerCore & Pick<LedgerParts, "purchaseRows">,
): (doubt: Ending<DoubtReason>) => boolean {
  const { purchaseRows } = parts;
  return (doubt) => {
    const row = purchaseRows.holdInDoubt(doubt);
    if (row === null) {
      return false;
    }
    const aside = setAsideMicros(row);
    if (row.currency !== null) {
      const account = accountOf(parts, row, row.currency);
      account.reservedMicros -= aside;
      account.inDoubtMicros += aside;
    }
    parts.counters.add({ runRowId: row.runRowId, siteId: row.siteId, kind: "in_doubt" }, 1);
    return true;
  };
}

/** Writes: one purchase, its balances and count. Idempotent: false when it was not started. */
export function createHoldInDoubt(parts: LedgerParts): Ledger["holdInDoubt"] {
  const { holdInDoubt } = parts;
  return (request) => parts.write(() => holdInDoubt(request));
}
