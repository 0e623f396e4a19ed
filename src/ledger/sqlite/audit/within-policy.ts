/** Promise 2: each purchase names the run, the rule that allowed it, the license and the quoted price, and the gateway listed that. */
import { createHash } from "node:crypto";
import { LICENSE_TYPES } from "../../../rates/license.ts";
import type { RateListing } from "../../../rates/rate.ts";
import { type Audited, checksOf } from "./audited.ts";

const KNOWN_TYPES = LICENSE_TYPES.map((type) => `'${type}'`).join(", ");
/** As much of a listing's sha256 as is kept. */
const LISTING_HASH_BYTES = 16;

/** No index has the purchases of a run: its bounds do. */
const BOUGHT_FROM_LIST =
  "run_list l JOIN run r ON r.id = l.run_id JOIN purchase p ON p.run_id = r.id AND p.id > r.purchases_after AND p.id <= coalesce(r.purchases_until, 9223372036854775807)";
const OF_PURCHASE = "d.run_id = p.run_id AND d.page_id = p.page_id";

export const WITHIN_POLICY = checksOf(2, [
  "SELECT format('purchase %d belongs to no run', id) FROM purchase p WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.id = p.run_id)",
  "SELECT format('purchase %d names no rule of a policy', id) FROM purchase WHERE rule_index < 0 OR policy_name = ''",
  "SELECT format('purchase %d names a rule that the ledger does not have', id) FROM purchase p WHERE rule_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM rule q WHERE q.id = p.rule_id)",
  "SELECT format('rule %d allows nothing: %s', id, text) FROM rule WHERE text NOT LIKE 'allow %'",
  "SELECT format('purchase %d does not say the rule that allowed it', id) FROM purchase WHERE rule_id IS NULL",
  // Only who resumes a run can do so under another file.
  `SELECT format('run %s allowed purchases %d and %d by rule %d of policy %s, which says two things', r.name, min(p.id), max(p.id), p.rule_index + 1, p.policy_name)
   FROM purchase p JOIN run r ON r.id = p.run_id WHERE r.resumed_at IS NULL AND p.rule_id IS NOT NULL
   GROUP BY p.run_id, p.policy_name, p.rule_index HAVING min(p.rule_id) <> max(p.rule_id)`,
  "SELECT format('purchase %d was made without a licence or a price', id) FROM purchase WHERE intent = 'content' AND (license_id IS NULL OR currency IS NULL)",
  "SELECT format('purchase %d names a licence that does not exist', id) FROM purchase p WHERE license_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM license l WHERE l.id = p.license_id)",
  `SELECT format('purchase %d was made under %s, which nothing can be bought under', p.id, l.license_type) FROM purchase p JOIN license l ON l.id = p.license_id WHERE l.license_type NOT IN (${KNOWN_TYPES}) OR (l.license_type = 'CUSTOM_LICENSE' AND l.cuid IS NULL)`,
  "SELECT format('purchase %d is an indexing fetch with a price', id) FROM purchase WHERE intent = 'indexing' AND (quoted_micros + fee_micros + use_reserve_micros <> 0 OR coalesce(charged_micros, 0) + coalesce(charged_fee_micros, 0) <> 0 OR currency IS NOT NULL OR charged_currency IS NOT NULL)",
  "SELECT format('purchase %d is an indexing fetch under a licence', id) FROM purchase WHERE intent = 'indexing' AND (license_id IS NOT NULL OR listing_id IS NOT NULL OR (state <> 'settled' AND valid_until_at IS NOT NULL))",
  "SELECT format('purchase %d sets %d micros aside for the report of its fetch, which costs %d', id, use_reserve_micros, quoted_micros * reports_fetch) FROM purchase WHERE use_reserve_micros NOT IN (0, quoted_micros * reports_fetch)",
  `SELECT format('purchase %d is of a page that the list of its run does not name', p.id) FROM ${BOUGHT_FROM_LIST} WHERE NOT EXISTS (SELECT 1 FROM listed_page d WHERE ${OF_PURCHASE})`,
  `SELECT format('purchase %d sets aside %d micros %s, and its list allows %d %s', p.id, p.quoted_micros + p.fee_micros + p.use_reserve_micros, p.currency, d.max_price_micros, d.max_price_currency)
   FROM ${BOUGHT_FROM_LIST} JOIN listed_page d ON ${OF_PURCHASE}
   WHERE p.intent = 'content' AND d.max_price_micros IS NOT NULL AND (p.currency <> d.max_price_currency OR p.quoted_micros + p.fee_micros + p.use_reserve_micros > d.max_price_micros)`,
  `SELECT format('purchase %d is under %s, and its plan names %s', p.id, c.license_type, d.license_type)
   FROM ${BOUGHT_FROM_LIST} JOIN listed_page d ON ${OF_PURCHASE} JOIN license c ON c.id = p.license_id
   WHERE d.license_type IS NOT NULL AND (c.license_type <> d.license_type OR c.cuid IS NOT d.license_cuid)`,
  "SELECT format('purchase %d was made by a plan, which never buys', p.id) FROM purchase p JOIN run r ON r.id = p.run_id WHERE r.kind = 'planning'",
  findBrokenLicenses,
  findBrokenListings,
  findUnlisted,
  findOtherEnds,
]);

interface LicenseRow {
  readonly id: number;
  readonly fingerprint: string;
  readonly licenseType: string;
  readonly cuid: string | null;
  readonly licensePath: string | null;
  readonly permissions: string;
}

/** A license is what its fingerprint says: nothing else may be read into it later. */
function* findBrokenLicenses({ db }: Audited): Iterable<string> {
  const licenses = db.prepare<[], LicenseRow>(
    "SELECT id, fingerprint, license_type AS licenseType, cuid, license_path AS licensePath, permissions FROM license",
  );
  for (const { id, fingerprint, licenseType, cuid, licensePath, permissions } of licenses.iterate()) {
    const bought = parse<[string, string | null, string | null, string[]]>(fingerprint);
    const kept = [licenseType, cuid, licensePath, parse<string[] | null>(permissions)];
    if (bought === null || toText(bought) !== toText(kept)) {
      yield `licence ${id} is no longer what was bought`;
    }
  }
}

/** A column holds U+FFFD where the gateway sent half a character; JSON holds the half. */
function toText(fields: readonly unknown[]): string {
  return JSON.stringify(fields, (_key, value) =>
    typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value,
  );
}

function* findBrokenListings({ db }: Audited): Iterable<string> {
  const listings = db.prepare<[], { id: number; hash: Buffer; json: string }>("SELECT id, hash, json FROM listing");
  for (const { id, hash, json } of listings.iterate()) {
    if (!createHash("sha256").update(json).digest().subarray(0, LISTING_HASH_BYTES).equals(hash)) {
      yield `listing ${id} is no longer what the gateway said`;
    }
  }
}

interface Bought {
  readonly id: number;
  readonly more: number;
  readonly quotedMicros: number;
  readonly currency: string;
  readonly fingerprint: string;
  readonly listing: string | null;
}

/** Purchases share their listings and licenses: each pair is looked up once, however many bought under it. */
function* findUnlisted({ db }: Audited): Iterable<string> {
  const bought = db.prepare<[], Bought>(
    `SELECT min(p.id) AS id, count(*) - 1 AS more, p.quoted_micros AS quotedMicros, p.currency, l.fingerprint, t.json AS listing
     FROM purchase p JOIN license l ON l.id = p.license_id LEFT JOIN listing t ON t.id = p.listing_id
     WHERE p.intent = 'content' GROUP BY p.listing_id, p.license_id, p.quoted_micros, p.currency`,
  );
  for (const { id, more, quotedMicros, currency, fingerprint, listing } of bought.iterate()) {
    const rates = listing === null ? [] : (parse<RateListing>(listing)?.rates ?? []);
    const isListed = rates.some(
      ({ license, price }) =>
        price.micros === quotedMicros && price.currency === currency && fingerprintOf(license) === fingerprint,
    );
    if (!isListed) {
      yield `purchase ${id} (and ${more} more) was quoted ${quotedMicros} micros ${currency} under a licence that its rates did not offer`;
    }
  }
}

interface Limited {
  readonly id: number;
  readonly more: number;
  readonly isSettled: number;
  readonly quotedMicros: number;
  readonly currency: string;
  readonly licenseType: string;
  readonly cuid: string | null;
  readonly validUntilAt: number | null;
  readonly listing: string | null;
}

/** The end of a license is the one that was listed. The answer that brought the content may have named an earlier one. */
function* findOtherEnds({ db }: Audited): Iterable<string> {
  const limited = db.prepare<[], Limited>(
    `SELECT min(p.id) AS id, count(*) - 1 AS more, p.state = 'settled' AS isSettled, p.quoted_micros AS quotedMicros, p.currency,
       l.license_type AS licenseType, l.cuid, p.valid_until_at AS validUntilAt, t.json AS listing
     FROM purchase p JOIN license l ON l.id = p.license_id LEFT JOIN listing t ON t.id = p.listing_id
     WHERE p.intent = 'content' GROUP BY p.listing_id, p.license_id, p.quoted_micros, p.currency, p.valid_until_at, p.state = 'settled'`,
  );
  for (const { id, more, validUntilAt, isSettled, listing, ...bought } of limited.iterate()) {
    const rates = listing === null ? [] : (parse<RateListing>(listing)?.rates ?? []);
    const ends = rates
      .filter(
        ({ license, price }) =>
          price.micros === bought.quotedMicros &&
          price.currency === bought.currency &&
          license.licenseType === bought.licenseType &&
          license.cuid === bought.cuid,
      )
      .map(({ validUntilAt: end = null }) => end);
    const isEarlier = validUntilAt !== null && ends.some((end) => end === null || validUntilAt < end);
    if (ends.length > 0 && !ends.includes(validUntilAt) && !(isSettled === 1 && isEarlier)) {
      yield `purchase ${id} (and ${more} more) says that its license ends at ${validUntilAt ?? "no time"}, and its rates said otherwise`;
    }
  }
}

function fingerprintOf({
  licenseType,
  cuid,
  licensePath,
  permissions,
}: RateListing["rates"][number]["license"]): string {
  return JSON.stringify([licenseType, cuid, licensePath, permissions]);
}

function parse<Value>(json: string): Value | null {
  try {
    return JSON.parse(json) as Value;
  } catch {
    return null;
  }
}
