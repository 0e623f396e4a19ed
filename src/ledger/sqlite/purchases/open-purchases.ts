import type { OpenPurchase } from "../../purchase-ledger.ts";
import type { InternedRows } from "../engine/interned-rows.ts";

/** What `OpenPurchaseRow` has, of `purchase u` and its `page p`. */
export const OPEN_PURCHASE = `u.id AS purchaseId, u.state, p.url, u.url AS wireUrl, u.intent, u.format,
  u.quoted_micros AS quotedMicros, u.fee_micros AS feeMicros, u.currency, u.token, u.token_expires_at AS tokenExpiresAt,
  u.license_id AS licenseId`;

export interface OpenPurchaseRow extends Omit<OpenPurchase, "license"> {
  readonly licenseId: number | null;
}

/** A purchase with the licence that its row names. */
export function toOpenPurchase(
  { interned }: { readonly interned: Pick<InternedRows, "license"> },
  { licenseId, ...row }: OpenPurchaseRow,
): OpenPurchase {
  return { ...row, license: licenseId === null ? null : interned.license(licenseId) };
}
