/** Undoing a reservation, for the operations that end one purchase, a site or a run. Called within a write. */
import {
  type DoubtReason,
  endsOnlyReserved,
  isTakenBack,
  type PurchaseState,
  type ReleaseReason,
} from "../../../purchase/purchase.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { accountOf, MONEY_ROW_COLUMNS, type MoneyRow, reservedTotal } from "../money/purchase-money.ts";

export interface Release {
  readonly purchaseId: number;
  readonly reason: ReleaseReason;
  readonly detail: string;
  readonly now: number;
}

/**
 * `reserved | started → released`, with its money and its count; from `reserved` alone where there was no token, or where the
 * decision is taken back. False when it was neither.
 */
export function createPurchaseRelease(core: LedgerCore): (release: Release) => boolean {
  const update = core.db.prepare<[number, string, string, number, string], MoneyRow>(
    `UPDATE purchase SET state = 'released', ended_at = ?, token = NULL, token_expires_at = NULL, reason = ?, detail = ?
     WHERE id = ? AND state IN ('reserved', ?)
     RETURNING ${MONEY_ROW_COLUMNS}`,
  );
  const uncountOfRun = core.db.prepare<[number]>("UPDATE run SET approved = approved - 1 WHERE id = ?");
  const uncountOfSite = core.db.prepare<[number, number]>(
    "UPDATE run_site SET approved = approved - 1 WHERE run_id = ? AND site_id = ?",
  );
  return ({ purchaseId, reason, detail, now }) => {
    const from: PurchaseState = endsOnlyReserved(reason) ? "reserved" : "started";
    const row = update.get(now, reason, detail, purchaseId, from);
    if (row === undefined) {
      return false;
    }
    if (row.currency !== null) {
      accountOf(core, row, row.currency).reservedMicros -= reservedTotal(row);
    }
    const { runRowId, siteId } = row;
    core.tallies.add({ runRowId, siteId, kind: "released", reason }, 1);
    if (isTakenBack(reason)) {
      // The page may be decided again, and would count twice against maxPages.
      uncountOfRun.run(runRowId);
      uncountOfSite.run(runRowId, siteId);
      core.tallies.add({ runRowId, siteId, kind: "approved" }, -1);
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

/** Holding a purchase in doubt, for the operations that end one purchase or a run. Called within a write. */
export interface Doubt {
  readonly purchaseId: number;
  readonly reason: DoubtReason;
  readonly detail: string;
  readonly now: number;
}

/**
 * `started → in_doubt`: all that was reserved counts as in doubt from now on. Where that is nothing there is nothing that a person could
 * say: it is resolved as not charged in the same transaction. null when it was not started.
 */
export function createPurchaseDoubt(
  parts: LedgerCore & Pick<LedgerParts, "resolveDoubt">,
): (doubt: Doubt) => "in_doubt" | "released" | null {
  const { resolveDoubt } = parts;
  const update = parts.db.prepare<[number, string, string, number], MoneyRow>(
    `UPDATE purchase SET state = 'in_doubt', ended_at = ?, token = NULL, token_expires_at = NULL, reason = ?, detail = ?
     WHERE id = ? AND state = 'started'
     RETURNING ${MONEY_ROW_COLUMNS}`,
  );
  return ({ purchaseId, reason, detail, now }) => {
    const row = update.get(now, reason, detail, purchaseId);
    if (row === undefined) {
      return null;
    }
    if (row.currency !== null) {
      const account = accountOf(parts, row, row.currency);
      account.reservedMicros -= reservedTotal(row);
      account.inDoubtMicros += reservedTotal(row);
    }
    parts.tallies.add({ runRowId: row.runRowId, siteId: row.siteId, kind: "in_doubt" }, 1);
    if (reservedTotal(row) > 0) {
      return "in_doubt";
    }
    resolveDoubt({ purchaseId, row, charged: false, source: "nothing_to_charge", now });
    return "released";
  };
}

/** Writes: one purchase, its balances and count; its resolution, where it costs nothing. Idempotent: null when it was not started. */
export function createHoldInDoubt(parts: LedgerParts): Ledger["holdInDoubt"] {
  const { holdInDoubt } = parts;
  return (request) => parts.write(() => holdInDoubt(request));
}
