import { partOfUrl } from "../../../catalog/url-path.ts";
import type { Micros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { OpenPurchase } from "../../purchase-ledger.ts";
import type { SiteStop } from "../../run-ledger.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import { describeBatch, findBatch, isOpenOfBatch, removeBatch } from "../runs/batches.ts";
import { isProven } from "../runs/leases.ts";
import { LIMIT_STOPS } from "../runs/stop-site.ts";
import { copyDecision, moveToReleased } from "./purchase-rows.ts";

/** What `OpenPurchaseRow` has, of `purchase u` and its `page p`. */
const OPEN_PURCHASE = `u.id AS purchaseId, u.state, p.url, u.url AS wireUrl, u.intent, u.format,
  u.license_id AS licenseId, u.quoted_micros AS quotedMicros, u.currency, u.fee_micros AS feeMicros, u.token, u.token_expires_at AS expiresAt`;

interface OpenPurchaseRow extends Omit<OpenPurchase, "quote" | "token"> {
  readonly licenseId: number | null;
  readonly quotedMicros: Micros;
  readonly currency: Currency | null;
  readonly token: string | null;
  readonly expiresAt: number | null;
}

/** A row as the stages see it: an offer or none, a token or none. The schema's checks hold that the columns of each are null together. */
function toOpenPurchase(
  tx: ReadTx,
  { licenseId, quotedMicros, currency, token, expiresAt, ...row }: OpenPurchaseRow,
): OpenPurchase {
  return {
    ...row,
    quote:
      licenseId === null || currency === null
        ? null
        : { license: tx.lookups.license(licenseId), price: { micros: quotedMicros, currency } },
    token: token === null || expiresAt === null ? null : { token, expiresAt },
  };
}

const SELECT_ACQUIRE_BATCH = `SELECT ${OPEN_PURCHASE} FROM batch b CROSS JOIN purchase u ON ${isOpenOfBatch("u")} CROSS JOIN page p ON p.id = u.page_id
  WHERE b.id = ? ORDER BY u.id`;

const HAS_OPEN = `SELECT 1 FROM batch b CROSS JOIN purchase u ON ${isOpenOfBatch("u")} WHERE b.id = ? LIMIT 1`;

const SELECT_OPEN = `SELECT ${OPEN_PURCHASE} FROM purchase u JOIN page p ON p.id = u.page_id WHERE u.id = ?`;

/** Reads: batch, purchase, page, license, tally. */
export function openAcquireBatch(tx: ReadTx, leaseId: Asked<"openAcquireBatch">): Answered<"openAcquireBatch"> {
  const batch = findBatch(tx, leaseId, "acquire");
  if (batch === null) {
    return null;
  }
  return {
    ...describeBatch(tx, batch),
    isProven: isProven(tx, batch.runRowId, batch.siteId),
    purchases: tx.all<OpenPurchaseRow>(SELECT_ACQUIRE_BATCH, batch.id).map((row) => toOpenPurchase(tx, row)),
  };
}

/**
 * Reads: batch, run_site, purchase, page, license. Writes: two purchases, one count, the range of the batch. Idempotent by the state: the second call finds the
 * purchase released. Money, approvals and the place in the batch go over from the old row to the new one, so no balance changes. Promises
 * 1 (nothing is reserved beyond what was), 2 (the terms are copied), 3 (one open purchase per page, one token per purchase).
 */
export function reserveAnew(tx: Tx, { leaseId, ...unused }: Asked<"reserveAnew">): Answered<"reserveAnew"> {
  const batch = findBatch(tx, leaseId, "acquire");
  if (batch === null) {
    return null;
  }
  const { runRowId, siteId } = batch;
  const stop = tx.value<SiteStop | null>`SELECT stop FROM run_site WHERE run_id = ${runRowId} AND site_id = ${siteId}`;
  const isClosed = stop != null && !LIMIT_STOPS.includes(stop);
  if (isClosed || !moveToReleased(tx, { ...unused, reason: "token_unused" })) {
    return null;
  }
  const purchaseId = copyDecision(tx, unused.purchaseId);
  tx.run`UPDATE batch SET last_purchase_id = ${purchaseId} WHERE id = ${batch.id}`;
  return toOpenPurchase(tx, tx.get<OpenPurchaseRow>(SELECT_OPEN, purchaseId) as OpenPurchaseRow);
}

/**
 * Writes: one purchase, its balances and counts. Idempotent: false when it was neither reserved nor started, or the lease is stale:
 * whoever has the batch by now may have sent the same token, and been charged.
 */
export function releasePurchase(tx: Tx, { leaseId, ...request }: Asked<"releasePurchase">): boolean {
  return leaseId !== undefined && findBatch(tx, leaseId, "acquire") === null ? false : moveToReleased(tx, request);
}

/** Reads: purchase. Writes: batch, run_site. False when stale, as after the first call, or when purchases are still open. */
export function finishAcquireBatch(tx: Tx, leaseId: Asked<"finishAcquireBatch">): boolean {
  const batch = findBatch(tx, leaseId, "acquire");
  if (batch === null || tx.has(HAS_OPEN, batch.id)) {
    return false;
  }
  removeBatch(tx, batch);
  return true;
}

/** Of so many other parts a purchase is looked for. */
const MAX_OTHER_PARTS = 2;

const SELECT_RESERVED = `SELECT ${OPEN_PURCHASE} FROM batch b CROSS JOIN purchase u ON ${isOpenOfBatch("u")} CROSS JOIN page p ON p.id = u.page_id
  WHERE b.run_id = (SELECT id FROM run WHERE name = ?) AND b.site_id = (SELECT id FROM site WHERE host = ?)
    AND b.stage = 'acquire' AND u.state = 'reserved' ORDER BY u.id DESC`;

/** Reads: run, site, batch, purchase, page, license. What is open of a site is in its batches, which are few. */
export function findReserved(tx: ReadTx, { runId, host, part }: Asked<"findReserved">): Answered<"findReserved"> {
  const others = new Map<string, OpenPurchaseRow>();
  let samePart: OpenPurchaseRow | null = null;
  for (const row of tx.iterate<OpenPurchaseRow>(SELECT_RESERVED, runId, host)) {
    const rowPart = partOfUrl(row.url);
    if (rowPart === part) {
      samePart ??= row;
    } else if (others.size < MAX_OTHER_PARTS && !others.has(rowPart)) {
      others.set(rowPart, row);
    }
    if (samePart !== null && others.size === MAX_OTHER_PARTS) {
      break;
    }
  }
  const toPurchase = (row: OpenPurchaseRow): OpenPurchase => toOpenPurchase(tx, row);
  return {
    otherParts: [...others.values()].map(toPurchase),
    samePart: samePart === null ? null : toPurchase(samePart),
  };
}
