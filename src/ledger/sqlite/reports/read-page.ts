import { toMicros } from "../../../money/micros.ts";
import type { License } from "../../../rates/license.ts";
import type { RateListing } from "../../../rates/rate.ts";
import type { Ledger } from "../../ledger.ts";
import type { PageRecord } from "../../ledger-reports.ts";
import type { Connection } from "../engine/connection.ts";
import type { LedgerParts } from "../ledger-parts.ts";

/** Purchases and denials of one page that are read, the newest first. */
const MAX_HISTORY = 200;

type PurchaseLine = PageRecord["purchases"][number];
type DenialLine = PageRecord["denials"][number];

interface PageRow {
  readonly id: number;
  readonly url: string;
  readonly host: string;
  readonly wireUrl: string;
  readonly lastMod: string | null;
  readonly heldPurchaseId: number | null;
  readonly heldAt: number | null;
  readonly heldLastMod: string | null;
}

/** What the ledger knows of a page, for `explain`: the version held, and each decision with the rates it was made on. */
export function createReadPage({ db, read, findUseLicense }: LedgerParts): Ledger["readPage"] {
  const selectPage = db.prepare<[string], PageRow>(
    `SELECT p.id, p.url, s.host, coalesce(p.wire_url, p.url) AS wireUrl, p.last_mod AS lastMod, p.held_purchase_id AS heldPurchaseId, p.held_at AS heldAt,
            p.held_last_mod AS heldLastMod
     FROM page p JOIN site s ON s.id = p.site_id WHERE p.url = ?`,
  );
  const readHeld = createReadHeld(findUseLicense);
  const readPurchases = createReadPurchases(db);
  const readDenials = createReadDenials(db);
  return (url) =>
    read(() => {
      const page = selectPage.get(url);
      if (page === undefined) {
        return null;
      }
      const { id, host, wireUrl, lastMod } = page;
      return {
        url,
        host,
        wireUrl,
        lastMod,
        held: readHeld(page),
        purchases: readPurchases(id),
        denials: readDenials(id),
      };
    });
}

function createReadHeld(findLicense: LedgerParts["findUseLicense"]): (page: PageRow) => PageRecord["held"] {
  return ({ id, heldPurchaseId, heldAt, heldLastMod }) => {
    if (heldPurchaseId === null || heldAt === null) {
      return null;
    }
    const license = findLicense(id, heldPurchaseId)?.license ?? null;
    return {
      purchaseId: heldPurchaseId,
      settledAt: heldAt,
      lastMod: heldLastMod,
      indexingOnly: license === null,
      license,
    };
  };
}

interface PurchaseRow extends Omit<PurchaseLine, "license" | "quotedMicros" | "chargedMicros" | "listing"> {
  readonly quotedMicros: number;
  readonly chargedMicros: number | null;
  readonly listing: string | null;
  readonly licenseType: string | null;
  readonly cuid: string | null;
  readonly licensePath: string | null;
  readonly permissions: string | null;
}

function createReadPurchases(db: Connection): (pageId: number) => PurchaseLine[] {
  const select = db.prepare<[number, number], PurchaseRow>(
    `SELECT p.id AS purchaseId, r.name AS runId, p.state, p.url, p.rule_index AS ruleIndex, q.text AS rule, p.policy_name AS policyName,
            p.quoted_micros AS quotedMicros, p.charged_micros AS chargedMicros, coalesce(p.charged_currency, p.currency) AS currency,
            p.reason, p.detail, coalesce(p.ended_at, p.started_at, p.reserved_at) AS at, t.json AS listing,
            l.license_type AS licenseType, l.cuid, l.license_path AS licensePath, l.permissions
     FROM purchase p JOIN run r ON r.id = p.run_id LEFT JOIN rule q ON q.id = p.rule_id LEFT JOIN license l ON l.id = p.license_id LEFT JOIN listing t ON t.id = p.listing_id
     WHERE p.page_id = ? ORDER BY p.id DESC LIMIT ?`,
  );
  return (pageId) =>
    select.all(pageId, MAX_HISTORY).map(({ licenseType, cuid, licensePath, permissions, ...row }) => ({
      ...row,
      quotedMicros: toMicros(row.quotedMicros),
      chargedMicros: row.chargedMicros === null ? null : toMicros(row.chargedMicros),
      license: licenseType === null ? null : toLicense({ licenseType, cuid, licensePath, permissions }),
      listing: parseListing(row.listing),
    }));
}

function createReadDenials(db: Connection): (pageId: number) => DenialLine[] {
  const select = db.prepare<[number, number], Omit<DenialLine, "listing"> & { readonly listing: string | null }>(
    `SELECT r.name AS runId, d.reason, d.rule_index AS ruleIndex, d.policy_name AS policyName, d.detail, d.at, t.json AS listing
     FROM denial d JOIN run r ON r.id = d.run_id LEFT JOIN listing t ON t.id = d.listing_id
     WHERE d.page_id = ? ORDER BY d.run_id DESC LIMIT ?`,
  );
  return (pageId) => select.all(pageId, MAX_HISTORY).map((row) => ({ ...row, listing: parseListing(row.listing) }));
}

function toLicense({
  permissions,
  ...license
}: Omit<License, "permissions"> & { readonly permissions: string | null }): License {
  return { ...license, permissions: JSON.parse(permissions ?? "[]") as License["permissions"] };
}

function parseListing(json: string | null): RateListing | null {
  return json === null ? null : (JSON.parse(json) as RateListing);
}
