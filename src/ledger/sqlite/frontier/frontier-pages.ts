/** A page of a run's frontier as the stages see it, with what the run's list says of it. */
import type { ListedTerms } from "../../../list/list-entry.ts";
import { toMicros } from "../../../money/micros.ts";
import type { FrontierPage } from "../../frontier-ledger.ts";

export interface FrontierPageRow extends Omit<FrontierPage, "listed"> {
  /** Null for a page that no list names. */
  readonly line: number | null;
  readonly maxPriceMicros: number | null;
  readonly maxPriceCurrency: string | null;
  readonly listedValue: number | null;
  readonly licenseType: string | null;
  readonly licenseCuid: string | null;
}

/** Columns of `page p` and of `listed_page l`, which may be missing. */
export const FRONTIER_PAGE_COLUMNS = `p.id AS pageId, p.url, coalesce(p.wire_url, p.url) AS wireUrl, p.last_mod_at AS lastModAt, l.line,
  l.max_price_micros AS maxPriceMicros, l.max_price_currency AS maxPriceCurrency, l.value AS listedValue,
  l.license_type AS licenseType, l.license_cuid AS licenseCuid`;

export function toFrontierPage(row: FrontierPageRow): FrontierPage {
  const { pageId, url, wireUrl, lastModAt } = row;
  return { pageId, url, wireUrl, lastModAt, listed: toListedTerms(row) };
}

function toListedTerms({
  line,
  maxPriceMicros: micros,
  maxPriceCurrency: currency,
  listedValue: value,
  licenseType,
  licenseCuid: cuid,
}: FrontierPageRow): ListedTerms | null {
  if (line === null) {
    return null;
  }
  return {
    maxPrice: micros === null || currency === null ? null : { micros: toMicros(micros), currency },
    license: licenseType === null ? null : { licenseType, cuid },
    value,
  };
}
