/**
 * Promise 0: the file itself. SQLite's own check covers its pages, indexes, types and CHECKs; then every reference, whether the
 * indexes and triggers that make promises hold are still there, and that nothing is there that licet did not make.
 */
import { compareSchema } from "../engine/expected-schema.ts";
import { type Audited, checksOf } from "./audited.ts";

const MAX_MESSAGES = 100;

interface BrokenReference {
  readonly table: string;
  readonly rowid: number | null;
  readonly parent: string;
}

/** References that no FOREIGN KEY names. */
const ORPHANS = [
  "SELECT format('page %s holds purchase %d, which does not exist', url, held_purchase_id) FROM page WHERE held_purchase_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM purchase p WHERE p.id = held_purchase_id)",
  "SELECT format('purchase %d is of site %d, its page of site %d', p.id, p.site_id, g.site_id) FROM purchase p JOIN page g ON g.id = p.page_id WHERE g.site_id <> p.site_id",
  "SELECT format('use %d is of site %d, its page of site %d', u.id, u.site_id, g.site_id) FROM use u JOIN page g ON g.id = u.page_id WHERE g.site_id <> u.site_id",
  "SELECT format('purchase %d was made for site %d, which is not of its run', p.id, p.site_id) FROM purchase p WHERE NOT EXISTS (SELECT 1 FROM run_site rs WHERE rs.run_id = p.run_id AND rs.site_id = p.site_id)",
];

/**
 * Tables whose rows are numbered from 1 and never deleted: a gap is a row that is gone, or one that has another id now. (What is
 * rolled back uses up no number.) The last rows alone could go unnoticed.
 */
const NUMBERED = [
  "license",
  "listing",
  "open_item",
  "page",
  "purchase",
  "receipt",
  "resolution",
  "site",
  "usage_batch",
  "use",
];

const GAPS = NUMBERED.map(
  (table) =>
    `SELECT format('%d rows of ${table} are gone: the last is %d', max(id) - count(*), max(id)) FROM ${table} HAVING max(id) <> count(*) OR min(id) <> 1`,
);

export const INTEGRITY = checksOf(0, [
  checkFile,
  ({ db }) => compareSchema(db).map(({ detail }) => detail),
  checkReferences,
  ...ORPHANS,
  ...GAPS,
]);

function checkFile({ db }: Audited): string[] {
  const messages = db.pragma(`integrity_check(${MAX_MESSAGES})`) as { integrity_check: string }[];
  return messages.map(({ integrity_check }) => integrity_check).filter((message) => message !== "ok");
}

function checkReferences({ db }: Audited): string[] {
  const broken = db.pragma("foreign_key_check") as BrokenReference[];
  return broken.map(({ table, rowid, parent }) => `${table} ${rowid ?? ""} refers to a ${parent} that does not exist`);
}
