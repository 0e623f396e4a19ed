import Database from "better-sqlite3";

/**
 * A ledger, read-only, whose uses say how they stand and whose reports all have entries: also those that the ledger keeps as a first use and a number
 * (plain reports). Written for the tests alone, and not with the ledger's own SQL.
 */
export function openSpelledOut(path: string): Database.Database {
  const db = new Database(path, { readonly: true });
  spellOutUses(db);
  return db;
}

/** Hides the tables `use` and `usage_entry` of a connection behind views of the same names. */
export function spellOutUses(db: Database.Database): void {
  db.exec(`
    CREATE TEMP VIEW plain_use AS
      SELECT u.id, b.id AS batch_id, b.state, u.id - b.first_use_id AS position, b.first_entry_id + u.id - b.first_use_id AS entry_id
      FROM main.usage_batch b JOIN main.use u
        ON u.id >= b.first_use_id AND u.id - b.first_use_id <= b.last_entry_id - b.first_entry_id AND u.state = 'pending';
    CREATE TEMP VIEW use AS
      SELECT u.id, u."key", u.run_id, u.site_id, u.page_id, u.purchase_id, u.kind, u.times, u.license_id, u.unit_micros, u.currency, u.billed,
        CASE WHEN p.id IS NULL THEN u.state WHEN p.state = 'settled' THEN 'settled' ELSE 'batched' END AS state,
        coalesce(u.entry_id, p.entry_id) AS entry_id, u.charged_micros, u.charged_currency, u.recorded_at, u.budget_at, u.used_at
      FROM main.use u LEFT JOIN plain_use p ON p.id = u.id;
    CREATE TEMP VIEW usage_entry AS
      SELECT id, batch_id, position, page_id, wire_url, license_type, license_cuid, times, unit_micros, currency FROM main.usage_entry
      UNION ALL
      SELECT p.entry_id, p.batch_id, p.position, u.page_id, b.url, l.license_type, l.cuid, u.times, u.unit_micros, u.currency
      FROM plain_use p JOIN main.use u ON u.id = p.id JOIN main.purchase b ON b.id = u.purchase_id JOIN main.license l ON l.id = u.license_id;`);
}
