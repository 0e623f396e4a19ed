import { type Micros, toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { License } from "../../../rates/license.ts";
import type { ReadTx } from "../operation.ts";

/** The license that a use of a page is booked under. */
export interface UseLicense {
  readonly license: License;
  readonly unitMicros: Micros;
  readonly currency: Currency;
  /** null for a page that was only indexed. */
  readonly purchaseId: number | null;
}

interface LicenseRow {
  readonly purchaseId: number;
  readonly unitMicros: number;
  readonly currency: Currency;
  readonly licenseId: number;
}

/**
 * The license that a page's content was bought with, at what it cost: of the stored version, or, where that came by indexing, of
 * the newest one that was bought. null when the page was only ever indexed.
 */
export function findUseLicense(tx: ReadTx, pageId: number, storedPurchaseId: number): UseLicense | null {
  const row = tx.get<LicenseRow>`
    SELECT p.id AS purchaseId, p.charged_micros AS unitMicros, coalesce(p.charged_currency, p.currency) AS currency, p.license_id AS licenseId
    FROM purchase p
    WHERE p.page_id = ${pageId} AND p.state = 'settled' AND p.license_id IS NOT NULL
      AND EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = p.id)
    ORDER BY p.id = ${storedPurchaseId} DESC, p.id DESC LIMIT 1`;
  if (row === undefined) {
    return null;
  }
  const { purchaseId, unitMicros, currency, licenseId } = row;
  return { purchaseId, unitMicros: toMicros(unitMicros), currency, license: tx.lookups.license(licenseId) };
}
