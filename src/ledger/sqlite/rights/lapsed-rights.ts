/** Whether the rights to a page had ended when it was used (rights/rights.ts). Called within a write. */
import { type ContentTerms, type ExpiryPolicies, findLapse, type RightsEnd } from "../../../rights/rights.ts";
import type { Connection } from "../engine/connection.ts";
import { storedAtSql } from "../purchases/stored-at.ts";

/** The end of the rights to all versions that were stored at an instant. Null: one of them could be used. */
export type FindLapseOfPage = (pageId: number, policies: ExpiryPolicies, at: number) => RightsEnd | null;

export function createFindLapse(db: Connection): FindLapseOfPage {
  const selectVersions = db.prepare<{ pageId: number; at: number }, ContentTerms>(
    `SELECT (SELECT s.host FROM site s WHERE s.id = h.site_id) AS host, ${storedAtSql("h")} AS settledAt, policy_name AS policyName, valid_until_at AS validUntilAt, retention_ms AS retentionMs
     FROM purchase h
     WHERE h.page_id = @pageId AND h.state = 'settled' AND ${storedAtSql("h")} <= @at
       AND EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = h.id)
     ORDER BY h.id DESC`,
  );
  return (pageId, policies, at) => findLapse(selectVersions.all({ pageId, at }), policies, at);
}
