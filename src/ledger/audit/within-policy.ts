/** Promise 2: each purchase names the run, the rule that allowed it, the licence and the quoted price, and the gateway listed that. */
import { LICENSE_TYPES } from "../../rates/license.ts";
import type { Violation } from "../ledger-reports.ts";
import type { Connection } from "../sqlite/connection.ts";
import { findBrokenRows } from "./broken-rows.ts";

const KNOWN_TYPES = LICENSE_TYPES.map((type) => `'${type}'`).join(", ");

/** Purchases share their listings and licences: each pair is looked up once, however many bought under it. */
const NOT_LISTED = `
  WITH bought AS (
    SELECT listing_id, license_id, quoted_micros, currency, min(id) AS id, count(*) AS purchases
    FROM purchase WHERE intent = 'content' AND license_id IS NOT NULL GROUP BY listing_id, license_id, quoted_micros, currency
  )
  SELECT format('purchase %d (and %d more) was quoted %d micros %s under a licence that its rates did not offer', b.id, b.purchases - 1, b.quoted_micros, b.currency)
  FROM bought b JOIN license l ON l.id = b.license_id LEFT JOIN listing t ON t.id = b.listing_id
  WHERE NOT EXISTS (
    SELECT 1 FROM json_each(t.json, '$.rates') rate
    WHERE rate.value ->> '$.price.micros' = b.quoted_micros AND rate.value ->> '$.price.currency' = b.currency
      AND rate.value ->> '$.license.licenseType' = l.license_type AND rate.value ->> '$.license.cuid' IS l.cuid
  )`;

const QUERIES = [
  "SELECT format('purchase %d belongs to no run', id) FROM purchase p WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.id = p.run_id)",
  "SELECT format('purchase %d names no rule of a policy', id) FROM purchase WHERE rule_index < 0 OR policy_name = ''",
  "SELECT format('purchase %d was made without a licence or a price', id) FROM purchase WHERE intent = 'content' AND (license_id IS NULL OR currency IS NULL)",
  "SELECT format('purchase %d names a licence that does not exist', id) FROM purchase p WHERE license_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM license l WHERE l.id = p.license_id)",
  `SELECT format('purchase %d was made under %s, which nothing can be bought under', p.id, l.license_type) FROM purchase p JOIN license l ON l.id = p.license_id WHERE l.license_type NOT IN (${KNOWN_TYPES}) OR (l.license_type = 'CUSTOM_LICENSE' AND l.cuid IS NULL)`,
  "SELECT format('purchase %d is an indexing fetch with a price', id) FROM purchase WHERE intent = 'indexing' AND (quoted_micros + fee_micros + use_reserve_micros <> 0 OR coalesce(charged_micros, 0) <> 0)",
  "SELECT format('purchase %d was made by a plan, which never buys', p.id) FROM purchase p JOIN run r ON r.id = p.run_id WHERE r.kind = 'plan'",
  NOT_LISTED,
];

export function auditWithinPolicy(db: Connection): Violation[] {
  return findBrokenRows(db, 2, QUERIES);
}
