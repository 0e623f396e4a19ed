/** Page rows as a walk meets them. Called within a write. */
import type { CatalogDate, HeldVersion } from "../../../catalog/freshness.ts";
import type { Intent } from "../../../policy/rule.ts";
import type { WalkedEntry } from "../../frontier-ledger.ts";
import type { Connection } from "../engine/connection.ts";

/** What is held of a page; all null for one that never was. */
export interface HeldColumns {
  readonly heldAt: number | null;
  readonly heldIntent: Intent | null;
  readonly heldLastMod: string | null;
  readonly heldLastModAt: number | null;
}

/** What the ledger knew of a page before the catalog line that was met. */
interface StoredPage extends HeldColumns, CatalogDate {
  readonly id: number;
  readonly propertyId: string | null;
}

export interface CatalogPageRow extends StoredPage {
  readonly isNew: boolean;
}

/** The version that counts as held for an intent: what was only indexed was not bought. */
export function heldFor(intent: Intent, page: HeldColumns): HeldVersion | null {
  if (page.heldAt === null || (intent === "content" && page.heldIntent === "indexing")) {
    return null;
  }
  return { settledAt: page.heldAt, lastMod: page.heldLastMod, lastModAt: page.heldLastModAt };
}

const NEVER_HELD: HeldColumns = { heldAt: null, heldIntent: null, heldLastMod: null, heldLastModAt: null };

export interface CatalogPages {
  /** The page of a catalog line, made when nothing is known of it. */
  meet(siteId: number, entry: WalkedEntry): CatalogPageRow;
  /** Writes down what a catalog line says of a page that was known before. */
  update(page: CatalogPageRow, entry: WalkedEntry): void;
}

export function createCatalogPages(db: Connection): CatalogPages {
  const insert = db
    .prepare<[number, string, string | null, string | null, number | null, string | null], number>(
      "INSERT INTO page (site_id, url, wire_url, last_mod, last_mod_at, property_id) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (url) DO NOTHING RETURNING id",
    )
    .pluck();
  const select = db.prepare<[string], StoredPage>(
    `SELECT id, last_mod AS lastMod, last_mod_at AS lastModAt, property_id AS propertyId, held_at AS heldAt, held_intent AS heldIntent,
       held_last_mod AS heldLastMod, held_last_mod_at AS heldLastModAt
     FROM page WHERE url = ?`,
  );
  // The first spelling stays (decision 0002): what was quoted under it is bought, asked for again and reported under it.
  const update = db.prepare<[string | null, number | null, string | null, number]>(
    "UPDATE page SET last_mod = ?, last_mod_at = ?, property_id = ? WHERE id = ?",
  );
  return {
    meet(siteId, { url, wireUrl, lastMod, lastModAt, propertyId }) {
      const id = insert.get(siteId, url, wireUrl === url ? null : wireUrl, lastMod, lastModAt, propertyId);
      if (id !== undefined) {
        return { id, isNew: true, lastMod, lastModAt, propertyId, ...NEVER_HELD };
      }
      return { ...(select.get(url) as StoredPage), isNew: false };
    },
    update(page, { lastMod, lastModAt, propertyId }) {
      if (page.lastMod !== lastMod || page.propertyId !== propertyId) {
        update.run(lastMod, lastModAt, propertyId, page.id);
      }
    },
  };
}
