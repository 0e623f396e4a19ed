/** Page rows, by what a catalog, a list or a notification says of them. Called within a write. */

import { type CatalogDate, type StoredVersion, saysWhen } from "../../../catalog/freshness.ts";
import type { Intent } from "../../../policy/rule.ts";
import type { WalkedEntry } from "../../frontier-ledger.ts";
import type { Tx } from "../operation.ts";

/** What is stored of a page; all null for one that never was. */
export interface StoredColumns {
  readonly storedAt: number | null;
  /** When the stored version was asked for. */
  readonly storedAskedAt: number | null;
  /** When the run of that purchase began. */
  readonly storedRunBegunAt: number | null;
  readonly storedIntent: Intent | null;
  readonly storedLastMod: string | null;
  readonly storedLastModAt: number | null;
  readonly storedDatedAs: string | null;
}

/** What the ledger knew of a page before the present line of its catalog or list. */
interface KnownPage extends StoredColumns, CatalogDate {
  readonly id: number;
  readonly propertyId: string | null;
  /** Since when the catalog did not have it. */
  readonly goneAt: number | null;
}

export interface CatalogPageRow extends KnownPage {
  readonly isNew: boolean;
}

/** The version that counts as stored for an intent: what was only indexed was not bought. */
export function storedFor(intent: Intent, page: StoredColumns): StoredVersion | null {
  if (page.storedAt === null || (intent === "content" && page.storedIntent === "indexing")) {
    return null;
  }
  return {
    boughtAt: page.storedAt,
    askedAt: page.storedAskedAt,
    runBegunAt: page.storedRunBegunAt,
    lastMod: page.storedLastMod,
    lastModAt: page.storedLastModAt,
    datedAs: page.storedDatedAs,
  };
}

/** SQL: when the version that the page `p` holds was asked for, and when its run began. */
export const STORED_ASKED_AT = `(SELECT coalesce(asked_at, started_at) FROM purchase WHERE id = p.held_purchase_id) AS storedAskedAt,
  (SELECT r.started_at FROM purchase u JOIN run r ON r.id = u.run_id WHERE u.id = p.held_purchase_id) AS storedRunBegunAt`;

const NEVER_STORED: StoredColumns = {
  storedAt: null,
  storedAskedAt: null,
  storedRunBegunAt: null,
  storedIntent: null,
  storedLastMod: null,
  storedLastModAt: null,
  storedDatedAs: null,
};

const SELECT_PAGE = `SELECT id, last_mod AS lastMod, last_mod_at AS lastModAt, property_id AS propertyId, gone_at AS goneAt, held_at AS storedAt, held_intent AS storedIntent,
    held_last_mod AS storedLastMod, held_last_mod_at AS storedLastModAt, held_dated_as AS storedDatedAs, ${STORED_ASKED_AT}
  FROM page p WHERE url = ?`;

// The first spelling stays (decision 0002): what was quoted under it is bought, asked for again and reported under it.
const UPDATE_PAGE = "UPDATE page SET last_mod = ?, last_mod_at = ?, property_id = ?, gone_at = NULL WHERE id = ?";

/** The page of a URL. Writes: page, when the ledger does not know it yet. A second call finds it. */
export function findOrInsertPage(
  tx: Tx,
  siteId: number,
  { url, wireUrl, lastMod, lastModAt, propertyId }: WalkedEntry,
): CatalogPageRow {
  const { changes, lastInsertRowid } =
    tx.run`INSERT INTO page (site_id, url, wire_url, last_mod, last_mod_at, property_id)
    VALUES (${siteId}, ${url}, ${wireUrl === url ? null : wireUrl}, ${lastMod}, ${lastModAt}, ${propertyId})
    ON CONFLICT (url) DO NOTHING`;
  if (changes === 1) {
    return { id: Number(lastInsertRowid), isNew: true, lastMod, lastModAt, propertyId, goneAt: null, ...NEVER_STORED };
  }
  return { ...(tx.get<KnownPage>(SELECT_PAGE, url) as KnownPage), isNew: false };
}

/** Writes down what a catalog line says of a page that was known before. */
export function updatePage(tx: Tx, page: CatalogPageRow, { lastMod, lastModAt, propertyId }: WalkedEntry): void {
  const { storedAt, storedLastMod, storedDatedAs } = page;
  const isUndated = storedAt !== null && storedLastMod === null && storedDatedAs === null;
  if (isUndated && lastMod !== null && !saysWhen({ lastMod, lastModAt })) {
    tx.run`UPDATE page SET held_dated_as = ${lastMod} WHERE id = ${page.id}`;
  }
  if (page.lastMod !== lastMod || page.propertyId !== propertyId || page.goneAt !== null) {
    tx.run(UPDATE_PAGE, lastMod, lastModAt, propertyId, page.id);
  }
}
