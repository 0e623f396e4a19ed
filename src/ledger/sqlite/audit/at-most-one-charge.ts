/** Promise 3: one decision is charged once at most, with one token of its own. */
import { checksOf } from "./audited.ts";

/** A charge beyond the quote, or in another currency: the token's cap should have made it impossible. */
const IS_ABOVE_QUOTE =
  "(state = 'settled' AND (charged_micros > quoted_micros OR (charged_micros > 0 AND charged_currency IS NOT currency)))";

/** What goes over to the next purchase of a page whose token was not used. */
const SAME_TERMS = [
  "run_id",
  "url",
  "rule_index",
  "rule_id",
  "license_id",
  "listing_id",
  "quoted_micros",
  "fee_micros",
  "use_reserve_micros",
  "currency",
  "last_mod",
  "last_mod_at",
  "valid_until_at",
];

export const AT_MOST_ONE_CHARGE = checksOf(3, [
  "SELECT format('page %s is being bought %d times at once', g.url, count(*)) FROM purchase p JOIN page g ON g.id = p.page_id WHERE p.state IN ('reserved', 'started') GROUP BY p.page_id HAVING count(*) > 1",
  // A run sees a page once, and decides it anew only where nothing was sent: a limit had denied it, or its site was stopped. A webhook run decides each version that was notified, and a page in doubt again where its policy buys it again.
  `SELECT format('purchases %s of page %s are one decision of run %s, and each was sent', group_concat(p.id, ', '), coalesce(g.url, p.page_id), coalesce(r.name, p.run_id))
   FROM purchase p LEFT JOIN page g ON g.id = p.page_id LEFT JOIN run r ON r.id = p.run_id
   WHERE p.state IN ('started', 'settled', 'in_doubt')
     AND NOT (r.kind = 'webhook' AND (p.state = 'in_doubt' OR EXISTS (SELECT 1 FROM resolution d WHERE d.purchase_id = p.id)))
   GROUP BY p.run_id, p.page_id HAVING count(*) > 1
     AND NOT (r.kind = 'webhook' AND count(*) = count(DISTINCT p.last_mod))`,
  "SELECT format('purchase %d is started without its token', id) FROM purchase WHERE state = 'started' AND (token IS NULL OR token_expires_at IS NULL)",
  "SELECT format('purchase %d is %s and still has its token', id, state) FROM purchase WHERE state <> 'started' AND (token IS NOT NULL OR token_expires_at IS NOT NULL)",
  "SELECT format('purchases %s have one token', group_concat(id, ', ')) FROM purchase WHERE token IS NOT NULL GROUP BY token HAVING count(*) > 1",
  // Content that comes for a purchase already given up is kept whatever its row says.
  `SELECT format('purchase %d is %s and was never started', id, state) FROM purchase WHERE state IN ('started', 'settled', 'in_doubt') AND started_at IS NULL
   AND NOT EXISTS (SELECT 1 FROM resolution r WHERE r.purchase_id = purchase.id AND r.source = 'late_answer')`,
  "SELECT format('purchase %d is reserved and was started', id) FROM purchase WHERE state = 'reserved' AND started_at IS NOT NULL",
  "SELECT format('purchase %d is settled without a charge', id) FROM purchase WHERE state = 'settled' AND (charged_micros IS NULL OR charged_fee_micros IS NULL OR (intent = 'content' AND charged_currency IS NULL))",
  "SELECT format('purchase %d is %s and has a charge', id, state) FROM purchase WHERE state <> 'settled' AND (charged_micros IS NOT NULL OR charged_fee_micros IS NOT NULL OR charged_currency IS NOT NULL)",
  `SELECT format('purchase %d was charged %d micros %s, was quoted %d %s, and is not flagged', id, charged_micros, charged_currency, quoted_micros, currency) FROM purchase WHERE ${IS_ABOVE_QUOTE} AND overcharged = 0`,
  `SELECT format('purchase %d is flagged as charged above its quote, and was not', id) FROM purchase WHERE NOT ${IS_ABOVE_QUOTE} AND overcharged = 1`,
  // A lease's id is its batch's id and fence: an id that is given out again would let a lease of long ago start a purchase.
  `SELECT format('batch ids begin again at %d, and purchase %d had batch %d', last + 1, id, batch_id)
   FROM (SELECT id, max(batch_id) AS batch_id, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'batch'), 0) AS last FROM purchase) WHERE batch_id > last`,
  // Both ids are given out in order, in the transaction that decides. A page whose token was not used is reserved anew in its old batch.
  `SELECT format('purchase %d is of batch %d, which is older than batch %d of the purchase before it', id, batch_id, before)
   FROM (SELECT id, page_id, batch_id, lag(batch_id) OVER (ORDER BY id) AS before FROM purchase) p
   WHERE batch_id < before AND NOT EXISTS (SELECT 1 FROM purchase u WHERE u.page_id = p.page_id AND u.batch_id = p.batch_id AND u.id < p.id AND u.reason = 'token_unused')`,
  `SELECT format('purchase %d was released because its token was not used, and its page was not reserved anew at its terms', p.id) FROM purchase p
   WHERE p.reason = 'token_unused' AND NOT EXISTS (SELECT 1 FROM purchase n WHERE n.page_id = p.page_id AND n.batch_id = p.batch_id AND n.id > p.id
     AND ${SAME_TERMS.map((column) => `n.${column} IS p.${column}`).join(" AND ")})`,
]);
