/** Damage to what says who decided. */
import type { NamedDamage } from "./named-damage.ts";

const purchase = (path: string) =>
  `(SELECT max(id) FROM purchase WHERE page_id = (SELECT id FROM page WHERE url LIKE '%${path}'))`;

export const ACT_DAMAGE: readonly NamedDamage[] = [
  [
    "a word of nobody",
    `DELETE FROM act WHERE purchase_id = ${purchase("/d/charged")}`,
    7,
    /^purchase_charged of \d+ was a person's word, and no act says whose$/,
  ],
  [
    "an act without a resolution",
    `INSERT INTO act (kind, at, actor, purchase_id) SELECT 'purchase_charged', ended_at, 'anna', id FROM purchase WHERE id = ${purchase("/a")}`,
    7,
    /^purchase_charged of \d+ is an act, and no resolution says it$/,
  ],
  [
    "a purge by nobody",
    "DELETE FROM purged_content",
    7,
    /^content of purchase \d+ was purged, and no act says by whom$/,
  ],
  [
    "a purge that counts one version too many",
    "UPDATE act SET count = count + 1 WHERE kind = 'content_purged'",
    7,
    /^act \d+ purged \d+ versions, and counts \d+$/,
  ],
];
