/** Rows that are written once and referred to by id: sites, licenses, listings, rules. Called within a write. */
import { createHash } from "node:crypto";
import { assertBug } from "../../../errors.ts";
import type { License } from "../../../rates/license.ts";
import type { RateListing } from "../../../rates/rate.ts";
import { createBoundedCache } from "./bounded-cache.ts";
import type { Statements } from "./statements.ts";

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

export function createLookupRows(statements: Statements): LookupRows {
  const sites = createTexts(statements, {
    limit: MAX_CACHED_SITES,
    select: "SELECT id FROM site WHERE host = ?",
    insert: "INSERT INTO site (host) VALUES (?) RETURNING id",
  });
  const licenses = createLicenses(statements);
  const listings = createListings(statements);
  const rules = createTexts(statements, {
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
  statements: Statements,
  sql: { readonly limit: number; readonly select: string; readonly insert: string },
): Lookup<string> {
  const cache = createBoundedCache<number>(sql.limit);
  return {
    idOf(text) {
      let id = cache.get(text);
      if (id === undefined) {
        id = statements.value<number>(sql.select, text) ?? (statements.value(sql.insert, text) as number);
        cache.set(text, id);
      }
      return id;
    },
    discard: cache.clear,
  };
}

interface LicenseRow {
  readonly licenseType: string;
  readonly cuid: string | null;
  readonly licensePath: string | null;
  readonly permissions: string;
}

function createLicenses(statements: Statements): Lookup<License> & { read(id: number): License } {
  const byId = new Map<number, License>();
  const cache = createBoundedCache<number>(MAX_CACHED_LICENSES);
  return {
    idOf({ licenseType, cuid, licensePath, permissions }) {
      const fingerprint = JSON.stringify([licenseType, cuid, licensePath, permissions]);
      let id = cache.get(fingerprint);
      if (id === undefined) {
        id =
          statements.value<number>`SELECT id FROM license WHERE fingerprint = ${fingerprint}` ??
          (statements.value`INSERT INTO license (fingerprint, license_type, cuid, license_path, permissions)
            VALUES (${fingerprint}, ${licenseType}, ${cuid}, ${licensePath}, ${JSON.stringify(permissions)}) RETURNING id` as number);
        cache.set(fingerprint, id);
      }
      return id;
    },
    read(id) {
      let found = byId.get(id);
      if (found === undefined) {
        const row = statements.get<LicenseRow>`SELECT license_type AS licenseType, cuid, license_path AS licensePath, permissions
          FROM license WHERE id = ${id}`;
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

function createListings(statements: Statements): Lookup<RateListing> {
  const cache = createBoundedCache<number>(MAX_CACHED_LISTINGS);
  return {
    idOf(listing) {
      const json = JSON.stringify(listing);
      let id = cache.get(json);
      if (id === undefined) {
        const hash = createHash("sha256").update(json).digest().subarray(0, HASH_BYTES);
        id =
          statements.value<number>`SELECT id FROM listing WHERE hash = ${hash}` ??
          (statements.value`INSERT INTO listing (hash, json) VALUES (${hash}, ${json}) RETURNING id` as number);
        cache.set(json, id);
      }
      return id;
    },
    discard: cache.clear,
  };
}
