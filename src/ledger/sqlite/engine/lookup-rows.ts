/** Rows that are written once and referred to by id: sites, licenses, listings, rules. Called within a write. */
import { createHash } from "node:crypto";
import { assertBug } from "../../../errors.ts";
import type { License } from "../../../rates/license.ts";
import type { RateListing } from "../../../rates/rate.ts";
import { createBoundedCache } from "./bounded-cache.ts";
import type { Connection } from "./connection.ts";

const MAX_CACHED_SITES = 20_000;
const MAX_CACHED_LICENSES = 5_000;
const MAX_CACHED_LISTINGS = 5_000;
const MAX_CACHED_RULES = 5_000;
const HASH_BYTES = 16;

export interface LookupRows {
  siteId(host: string): number;
  licenseId(license: License): number;
  /** The license of a row. Shared: not to be changed. */
  license(id: number): License;
  listingId(listing: RateListing): number;
  /** @param text the rule in words (policy/describe-rule.ts) */
  ruleId(text: string): number;
  discard(): void;
}

export function createLookupRows(db: Connection): LookupRows {
  const sites = createTexts(db, {
    limit: MAX_CACHED_SITES,
    select: "SELECT id FROM site WHERE host = ?",
    insert: "INSERT INTO site (host) VALUES (?) RETURNING id",
  });
  const licenses = createLicenses(db);
  const listings = createListings(db);
  const rules = createTexts(db, {
    limit: MAX_CACHED_RULES,
    select: "SELECT id FROM rule WHERE text = ?",
    insert: "INSERT INTO rule (text) VALUES (?) RETURNING id",
  });
  return {
    siteId: sites.idOf,
    licenseId: licenses.idOf,
    license: licenses.read,
    listingId: listings.idOf,
    ruleId: rules.idOf,
    discard() {
      sites.discard();
      licenses.discard();
      listings.discard();
      rules.discard();
    },
  };
}

interface Lookup<Value> {
  idOf(value: Value): number;
  discard(): void;
}

/** Rows that are one unique text. */
function createTexts(
  db: Connection,
  sql: { readonly limit: number; readonly select: string; readonly insert: string },
): Lookup<string> {
  const cache = createBoundedCache<number>(sql.limit);
  const select = db.prepare<[string], number>(sql.select).pluck();
  const insert = db.prepare<[string], number>(sql.insert).pluck();
  return {
    idOf(text) {
      let id = cache.get(text);
      if (id === undefined) {
        id = select.get(text) ?? (insert.get(text) as number);
        cache.set(text, id);
      }
      return id;
    },
    discard: cache.clear,
  };
}

function createLicenses(db: Connection): Lookup<License> & { read(id: number): License } {
  const byId = new Map<number, License>();
  const selectById = db.prepare<
    [number],
    { licenseType: string; cuid: string | null; licensePath: string | null; permissions: string }
  >("SELECT license_type AS licenseType, cuid, license_path AS licensePath, permissions FROM license WHERE id = ?");
  const cache = createBoundedCache<number>(MAX_CACHED_LICENSES);
  const select = db.prepare<[string], number>("SELECT id FROM license WHERE fingerprint = ?").pluck();
  const insert = db
    .prepare<[string, string, string | null, string | null, string], number>(
      "INSERT INTO license (fingerprint, license_type, cuid, license_path, permissions) VALUES (?, ?, ?, ?, ?) RETURNING id",
    )
    .pluck();
  return {
    idOf({ licenseType, cuid, licensePath, permissions }) {
      const fingerprint = JSON.stringify([licenseType, cuid, licensePath, permissions]);
      let id = cache.get(fingerprint);
      if (id === undefined) {
        id =
          select.get(fingerprint) ??
          (insert.get(fingerprint, licenseType, cuid, licensePath, JSON.stringify(permissions)) as number);
        cache.set(fingerprint, id);
      }
      return id;
    },
    read(id) {
      let found = byId.get(id);
      if (found === undefined) {
        const row = selectById.get(id);
        assertBug(row !== undefined, `licence ${id} is referred to but does not exist`);
        found = { ...row, permissions: JSON.parse(row.permissions) as License["permissions"] };
        if (byId.size >= MAX_CACHED_LICENSES) {
          byId.clear();
        }
        byId.set(id, found);
      }
      return found;
    },
    discard() {
      cache.clear();
      byId.clear();
    },
  };
}

function createListings(db: Connection): Lookup<RateListing> {
  const cache = createBoundedCache<number>(MAX_CACHED_LISTINGS);
  const select = db.prepare<[Buffer], number>("SELECT id FROM listing WHERE hash = ?").pluck();
  const insert = db
    .prepare<[Buffer, string], number>("INSERT INTO listing (hash, json) VALUES (?, ?) RETURNING id")
    .pluck();
  return {
    idOf(listing) {
      const json = JSON.stringify(listing);
      let id = cache.get(json);
      if (id === undefined) {
        const hash = createHash("sha256").update(json).digest().subarray(0, HASH_BYTES);
        id = select.get(hash) ?? (insert.get(hash, json) as number);
        cache.set(json, id);
      }
      return id;
    },
    discard: cache.clear,
  };
}
