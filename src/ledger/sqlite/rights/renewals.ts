/** Which stored pages are bought again because their rights ended (rights/renewal.ts). Called within a read or a write. */

import type { StoredVersion } from "../../../catalog/freshness.ts";
import { isAnyRenewed, isRenewalDue } from "../../../rights/renewal.ts";
import type { ContentTerms, ExpiryPolicies } from "../../../rights/rights.ts";
import type { ReadTx } from "../operation.ts";
import { storedAtSql } from "../purchases/stored-at.ts";

/** Adds to the stored version of a page whether its rights are to be renewed. */
export type RenewalMark = (pageId: number, stored: StoredVersion | null) => StoredVersion | null;

const CONTENT_TERMS =
  "(SELECT s.host FROM site s WHERE s.id = h.site_id) AS host, policy_name AS policyName, valid_until_at AS validUntilAt, retention_ms AS retentionMs";

const SELECT_STORED = `SELECT h.id AS purchaseId, p.held_at AS boughtAt, ${CONTENT_TERMS}
  FROM page p JOIN purchase h ON h.id = p.held_purchase_id WHERE p.id = ?`;

/** @param policies null or none with `relicense`: no page is looked at */
export function markRenewals(tx: ReadTx, policies: ExpiryPolicies | undefined, now: number): RenewalMark {
  if (policies === undefined || !isAnyRenewed(policies)) {
    return (_, stored) => stored;
  }
  return (pageId, stored) =>
    stored !== null && isDue(tx, pageId, policies, now) ? { ...stored, isRenewalDue: true } : stored;
}

function isDue(tx: ReadTx, pageId: number, policies: ExpiryPolicies, now: number): boolean {
  const content = tx.get<ContentTerms & { readonly purchaseId: number }>(SELECT_STORED, pageId);
  if (content === undefined || !isRenewalDue({ content, previous: null }, policies, now)) {
    return false;
  }
  return isRenewalDue({ content, previous: findPreviousVersion(tx, pageId, content.purchaseId) }, policies, now);
}

const SELECT_PREVIOUS_VERSION = `SELECT ${storedAtSql("h")} AS boughtAt, ${CONTENT_TERMS} FROM purchase h
  WHERE h.page_id = ? AND h.id < ? AND h.state = 'settled' AND EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = h.id)
  ORDER BY h.id DESC LIMIT 1`;

/** The version of a page that was bought before another one. */
export function findPreviousVersion(tx: ReadTx, pageId: number, purchaseId: number): ContentTerms | null {
  return tx.get<ContentTerms>(SELECT_PREVIOUS_VERSION, pageId, purchaseId) ?? null;
}
