import { partOfUrl } from "../../../catalog/url-path.ts";
import type { Micros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { Ledger } from "../../ledger.ts";
import type { OpenPurchase } from "../../purchase-ledger.ts";
import type { LookupRows } from "../engine/lookup-rows.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";

/** What `OpenPurchaseRow` has, of `purchase u` and its `page p`. */
const OPEN_PURCHASE = `u.id AS purchaseId, u.state, p.url, u.url AS wireUrl, u.intent, u.format,
  u.license_id AS licenseId, u.quoted_micros AS quotedMicros, u.currency, u.fee_micros AS feeMicros, u.token, u.token_expires_at AS expiresAt`;

interface OpenPurchaseRow extends Omit<OpenPurchase, "quote" | "token"> {
  readonly licenseId: number | null;
  readonly quotedMicros: Micros;
  readonly currency: Currency | null;
  readonly token: string | null;
  readonly expiresAt: number | null;
}

/** A row as the stages see it: an offer or none, a token or none. The schema's checks hold that the columns of each are null together. */
function toOpenPurchase(
  { lookups }: { readonly lookups: Pick<LookupRows, "license"> },
  { licenseId, quotedMicros, currency, token, expiresAt, ...row }: OpenPurchaseRow,
): OpenPurchase {
  return {
    ...row,
    quote:
      licenseId === null || currency === null
        ? null
        : { license: lookups.license(licenseId), price: { micros: quotedMicros, currency } },
    token: token === null || expiresAt === null ? null : { token, expiresAt },
  };
}

/** Reads: batch, purchase, page, license, tally. */
export function createOpenAcquireBatch(parts: LedgerParts): Ledger["openAcquireBatch"] {
  const { batches, isProven } = parts;
  const select = parts.db.prepare<[number], OpenPurchaseRow>(
    `SELECT ${OPEN_PURCHASE} FROM purchase u JOIN page p ON p.id = u.page_id
     WHERE u.batch_id = ? AND u.ended_at IS NULL ORDER BY u.id`,
  );
  return (leaseId) =>
    parts.read(() => {
      const batch = batches.find(leaseId, "acquire");
      if (batch === null) {
        return null;
      }
      return {
        runId: parts.runs.nameOf(batch.runRowId),
        host: parts.hosts.hostOf(batch.siteId),
        attempt: batch.attempt,
        isProven: isProven(batch.runRowId, batch.siteId),
        purchases: select.all(batch.id).map((row) => toOpenPurchase(parts, row)),
      };
    });
}

/** Reads: purchase. Writes: batch, run_site. False when stale, as after the first call, or when purchases are still open. */
export function createFinishAcquireBatch(parts: LedgerParts): Ledger["finishAcquireBatch"] {
  const { batches } = parts;
  const hasOpen = parts.db
    .prepare<[number], number>("SELECT 1 FROM purchase WHERE batch_id = ? AND ended_at IS NULL LIMIT 1")
    .pluck();
  return (leaseId) =>
    parts.write(() => {
      const batch = batches.find(leaseId, "acquire");
      if (batch === null || hasOpen.get(batch.id) !== undefined) {
        return false;
      }
      batches.remove(batch);
      return true;
    });
}

/** Of so many other parts a purchase is looked for. */
const MAX_OTHER_PARTS = 2;

/** Reads: run, site, batch, purchase, page, license. What is open of a site is in its batches, which are few. */
export function createFindReserved(core: LedgerCore): Ledger["findReserved"] {
  const select = core.db.prepare<[string, string], OpenPurchaseRow>(
    `SELECT ${OPEN_PURCHASE} FROM batch b JOIN purchase u ON u.batch_id = b.id AND u.ended_at IS NULL
       JOIN page p ON p.id = u.page_id
     WHERE b.run_id = (SELECT id FROM run WHERE name = ?) AND b.site_id = (SELECT id FROM site WHERE host = ?)
       AND b.stage = 'acquire' AND u.state = 'reserved' ORDER BY u.id DESC`,
  );

  return ({ runId, host, part }) =>
    core.read(() => {
      const others = new Map<string, OpenPurchaseRow>();
      let samePart: OpenPurchaseRow | null = null;
      for (const row of select.iterate(runId, host)) {
        const rowPart = partOfUrl(row.url);
        if (rowPart === part) {
          samePart ??= row;
        } else if (others.size < MAX_OTHER_PARTS && !others.has(rowPart)) {
          others.set(rowPart, row);
        }
        if (samePart !== null && others.size === MAX_OTHER_PARTS) {
          break;
        }
      }
      const toPurchase = (row: OpenPurchaseRow): OpenPurchase => toOpenPurchase(core, row);
      return {
        otherParts: [...others.values()].map(toPurchase),
        samePart: samePart === null ? null : toPurchase(samePart),
      };
    });
}
