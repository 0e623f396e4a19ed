/** Rows that are written once and referred to by id: sites, licenses, listings, rules. Called within a write. */
import { createHash } from "node:crypto";
import { assertBug } from "../../../errors.ts";
import type { License } from "../../../rates/license.ts";
import type { RateListing } from "../../../rates/rate.ts";
import { createRowCache } from "./row-cache.ts";
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

interface LicenseRow extends Omit<License, "permissions"> {
  readonly permissions: string;
}

export function createLookupRows(statements: Statements): LookupRows {
  const sites = createRowCache(
    MAX_CACHED_SITES,
    (host: string) =>
      statements.value<number>`SELECT id FROM site WHERE host = ${host}` ??
      statements.insert`INSERT INTO site (host) VALUES (${host})`,
  );
  const rules = createRowCache(
    MAX_CACHED_RULES,
    (text: string) =>
      statements.value<number>`SELECT id FROM rule WHERE text = ${text}` ??
      statements.insert`INSERT INTO rule (text) VALUES (${text})`,
  );
  const licenseIds = createRowCache(MAX_CACHED_LICENSES, (fingerprint: string) => {
    const [licenseType, cuid, licensePath, permissions] = JSON.parse(fingerprint);
    return (
      statements.value<number>`SELECT id FROM license WHERE fingerprint = ${fingerprint}` ??
      statements.insert`INSERT INTO license (fingerprint, license_type, cuid, license_path, permissions)
        VALUES (${fingerprint}, ${licenseType}, ${cuid}, ${licensePath}, ${JSON.stringify(permissions)})`
    );
  });
  const licenses = createRowCache(MAX_CACHED_LICENSES, (id: number): License => {
    const row = statements.get<LicenseRow>`SELECT license_type AS licenseType, cuid, license_path AS licensePath, permissions
      FROM license WHERE id = ${id}`;
    assertBug(row !== undefined, `licence ${id} is referred to but does not exist`);
    return { ...row, permissions: JSON.parse(row.permissions) };
  });
  const listings = createRowCache(MAX_CACHED_LISTINGS, (json: string) => {
    const hash = createHash("sha256").update(json).digest().subarray(0, HASH_BYTES);
    return (
      statements.value<number>`SELECT id FROM listing WHERE hash = ${hash}` ??
      statements.insert`INSERT INTO listing (hash, json) VALUES (${hash}, ${json})`
    );
  });
  return {
    siteId: sites.get,
    licenseId: ({ licenseType, cuid, licensePath, permissions }) =>
      licenseIds.get(JSON.stringify([licenseType, cuid, licensePath, permissions])),
    license: licenses.get,
    listingId: (listing) => listings.get(JSON.stringify(listing)),
    ruleId: rules.get,
    discard() {
      for (const cache of [sites, rules, licenseIds, licenses, listings]) {
        cache.discard();
      }
    },
  };
}
