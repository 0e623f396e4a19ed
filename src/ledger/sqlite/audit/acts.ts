/** Promise 7, who decided: each word of a person and each purge has its act, written with it, and no such act stands alone. */
import { hash } from "node:crypto";
import { type Audited, checksOf } from "./audited.ts";

const WORDS = `SELECT CASE outcome WHEN 'charged' THEN 'purchase_charged' WHEN 'not_charged' THEN 'purchase_not_charged'
    WHEN 'taken' THEN 'report_taken' WHEN 'not_taken' THEN 'report_not_taken' ELSE 'item_closed' END AS kind,
    at, purchase_id, usage_batch_id, open_item_id FROM resolution WHERE source = 'operator'`;
const ACTS_OF_WORDS = `SELECT kind, at, purchase_id, usage_batch_id, open_item_id FROM act
  WHERE kind IN ('purchase_charged', 'purchase_not_charged', 'report_taken', 'report_not_taken', 'item_closed')`;
const NUMBER = "coalesce(purchase_id, usage_batch_id, open_item_id)";

export const ACTS = checksOf(7, [
  `SELECT format('%s of %d was a person''s word, and no act says whose', kind, ${NUMBER}) FROM (${WORDS} EXCEPT ${ACTS_OF_WORDS})`,
  `SELECT format('%s of %d is an act, and no resolution says it', kind, ${NUMBER}) FROM (${ACTS_OF_WORDS} EXCEPT ${WORDS})`,
  `SELECT format('%s of %d is an act %d times', kind, ${NUMBER}, count(*)) FROM (${ACTS_OF_WORDS}) GROUP BY kind, at, ${NUMBER} HAVING count(*) > 1`,
  `SELECT format('content of purchase %d was purged, and no act says by whom', c.purchase_id) FROM content c
   LEFT JOIN purged_content g ON g.purchase_id = c.purchase_id LEFT JOIN act a ON a.id = g.act_id
   WHERE c.purged_at IS NOT NULL AND (a.kind IS NOT 'content_purged' OR a.at IS NOT c.purged_at)`,
  `SELECT format('content of purchase %d is stored, and an act says that it was purged', g.purchase_id) FROM purged_content g
   JOIN content c ON c.purchase_id = g.purchase_id WHERE c.purged_at IS NULL`,
  `SELECT format('act %d purged %d versions, and counts %d', a.id, count(g.purchase_id), a.count) FROM act a
   LEFT JOIN purged_content g ON g.act_id = a.id WHERE a.kind = 'content_purged' GROUP BY a.id HAVING a.count <> count(g.purchase_id)`,
  "SELECT format('act %d (%s) is about one thing, and counts %d', id, kind, count) FROM act WHERE kind <> 'content_purged' AND count <> 1",
  `SELECT format('act %d names purchase %d, which it did not purge', a.id, a.purchase_id) FROM act a
   WHERE a.kind = 'content_purged' AND NOT EXISTS (SELECT 1 FROM purged_content g WHERE g.purchase_id = a.purchase_id AND g.act_id = a.id)`,
  `SELECT format('site %d is paused, and no act says by whom', p.site_id) FROM site_pause p LEFT JOIN site s ON s.id = p.site_id
   LEFT JOIN act a ON a.id = p.act_id AND a.kind = 'site_paused' AND a.host = s.host WHERE a.id IS NULL`,
  `SELECT format('the last word about %s is %s, and the site is %s', w.host, w.kind, iif(w.is_paused, 'paused', 'not paused'))
   FROM (SELECT a.host, a.kind, max(a.id), EXISTS (SELECT 1 FROM site s JOIN site_pause p ON p.site_id = s.id WHERE s.host = a.host) AS is_paused
     FROM act a WHERE a.host IS NOT NULL GROUP BY a.host) w WHERE (w.kind = 'site_paused') <> w.is_paused`,
  `SELECT format('alert %d is looked after, and no act says by whom', l.id) FROM alert l
   LEFT JOIN act a ON a.id = l.acknowledged_by AND a.kind = 'alert_acknowledged' AND a.alert_key = l.key
   WHERE l.acknowledged_by IS NOT NULL AND a.id IS NULL`,
  `SELECT format('act %d looks after alert %d, which does not say so', a.id, l.id) FROM act a JOIN alert l ON l.key = a.alert_key
   WHERE a.kind = 'alert_acknowledged' AND l.acknowledged_by IS NOT a.id`,
  findOtherTexts,
]);

const SELECT_CONFIGURATIONS = "SELECT id, digest, text FROM configuration";

function* findOtherTexts({ db }: Audited): Iterable<string> {
  for (const { id, digest, text } of db
    .prepare<[], { id: number; digest: string; text: string }>(SELECT_CONFIGURATIONS)
    .iterate()) {
    if (hash("sha256", text) !== digest) {
      yield `configuration ${id} is not the text that its digest names`;
    }
  }
}
