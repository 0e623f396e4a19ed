/** Damage to content: what vanished is noticed, unless it was purged. */
import type { NamedDamage } from "./named-damage.ts";

const bought = "(SELECT max(p.id) FROM purchase p JOIN page g ON g.id = p.page_id WHERE g.url LIKE '%/a')";

export const CONTENT_DAMAGE: readonly NamedDamage[] = [
  [
    "content that vanished",
    `UPDATE content SET markdown = NULL, html = NULL WHERE purchase_id = ${bought}`,
    4,
    /^the content of purchase \d+ is no longer what was bought: its hash differs$/,
  ],
  [
    "content that vanished, and a date",
    `UPDATE content SET markdown = NULL, html = NULL, purged_at = 1 WHERE purchase_id = ${bought}`,
    4,
    /^content of purchase \d+ was purged, and nothing says why or when$/,
  ],
  [
    "text in purged content",
    "UPDATE content SET title = 'back again' WHERE purged_at IS NOT NULL",
    4,
    /^content of purchase \d+ was purged, and some of its texts are there$/,
  ],
];
