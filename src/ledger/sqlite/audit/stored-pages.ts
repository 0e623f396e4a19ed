/** Promise 4, the pages: each page knows the newest content that was bought for it, so that it is found and not bought again. */
import { checksOf } from "./audited.ts";

const STORED = "page g JOIN purchase p ON p.id = g.held_purchase_id";

export const STORED_PAGES = checksOf(4, [
  "SELECT format('page %s holds purchase %d, whose content is not there', g.url, g.held_purchase_id) FROM page g WHERE g.held_purchase_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = g.held_purchase_id AND c.page_id = g.id)",
  "SELECT format('page %s has content and is not stored', g.url) FROM page g WHERE g.held_purchase_id IS NULL AND EXISTS (SELECT 1 FROM purchase p JOIN content c ON c.purchase_id = p.id WHERE p.page_id = g.id)",
  `SELECT format('page %s holds purchase %d, and purchase %d is newer', g.url, g.held_purchase_id, max(c.purchase_id)) FROM page g JOIN purchase p ON p.page_id = g.id JOIN content c ON c.purchase_id = p.id
   WHERE p.id > g.held_purchase_id GROUP BY g.id`,
  `SELECT format('page %s is stored as %s, purchase %d was for %s', g.url, g.held_intent, p.id, p.intent) FROM ${STORED} WHERE g.held_intent IS NOT p.intent`,
  `SELECT format('page %s is stored as of %s, purchase %d was made as of %s', g.url, coalesce(g.held_last_mod, 'no date'), p.id, coalesce(p.last_mod, 'no date')) FROM ${STORED}
   WHERE g.held_last_mod IS NOT p.last_mod OR g.held_last_mod_at IS NOT p.last_mod_at`,
  "SELECT format('page %s is not stored, and says since when', url) FROM page WHERE held_purchase_id IS NULL AND (held_at IS NOT NULL OR held_intent IS NOT NULL OR held_last_mod IS NOT NULL OR held_last_mod_at IS NOT NULL)",
  // Where content came after a person had resolved the purchase as charged, it is stored since then.
  `SELECT format('page %s is stored since another instant than purchase %d was settled', g.url, p.id) FROM ${STORED}
   WHERE g.held_at IS NOT p.ended_at AND NOT EXISTS (SELECT 1 FROM resolution r WHERE r.purchase_id = p.id AND r.outcome = 'charged' AND r.source = 'operator')`,
]);
