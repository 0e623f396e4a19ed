/** Whether the rights to a page had ended when it was used (rights/rights.ts). Called within a write. */

import { type ContentTerms, type ExpiryPolicies, findLapse, type RightsEnd } from "../../../rights/rights.ts";
import type { ReadTx } from "../operation.ts";
import { storedAtSql } from "../purchases/stored-at.ts";

const SELECT_VERSIONS = `SELECT (SELECT s.host FROM site s WHERE s.id = h.site_id) AS host, ${storedAtSql("h")} AS boughtAt, policy_name AS policyName, valid_until_at AS validUntilAt, retention_ms AS retentionMs
  FROM purchase h
  WHERE h.page_id = @pageId AND h.state = 'settled' AND ${storedAtSql("h")} <= @at
    AND EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = h.id)
  ORDER BY h.id DESC`;

/** The end of the rights to all versions that were stored at an instant. Null: one of them could be used. */
export function findLapseOfPage(tx: ReadTx, pageId: number, policies: ExpiryPolicies, at: number): RightsEnd | null {
  return findLapse(tx.all<ContentTerms>(SELECT_VERSIONS, { pageId, at }), policies, at);
}
