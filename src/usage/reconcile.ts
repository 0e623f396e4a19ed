/**
 * Matches a report's receipts with its entries. Receipts are matched by URL, license and count, not by position.
 * Each receipt matches at most one entry: equal entries need as many receipts.
 *
 * A receipt has no count, but its total divided by its unit price is one. The matching has several passes, from strict to loose. The
 * best matches are paired first. A receipt that agrees only in URL and license still belongs to its entry; `check-receipt.ts` then
 * describes the mismatch.
 */
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { Receipt } from "./receipt.ts";
import type { ReportedEntry } from "./usage-batch.ts";

/** A reported entry with its expected cost. */
export interface ReconcilableEntry extends ReportedEntry {
  readonly expectedUnitMicros: Micros;
  readonly currency: Currency;
}

export interface Reconciliation {
  /** In the order of the entries. Null for an entry without a receipt. */
  readonly receipts: readonly (Receipt | null)[];
  /** Receipts that belong to no entry. */
  readonly surplus: readonly Receipt[];
}

type Agreement = (entry: ReconcilableEntry, receipt: Receipt) => boolean;
type UrlKey = (url: string) => string;

/** From strict to loose. */
const AGREEMENTS: readonly Agreement[] = [
  (entry, receipt) => hasSameCuid(entry, receipt) && hasRightTotal(entry, receipt) && hasExpectedPrice(entry, receipt),
  (entry, receipt) => hasSameCuid(entry, receipt) && hasRightTotal(entry, receipt),
  (entry, receipt) =>
    isCuidCompatible(entry, receipt) && hasRightTotal(entry, receipt) && hasExpectedPrice(entry, receipt),
  (entry, receipt) => isCuidCompatible(entry, receipt) && hasRightTotal(entry, receipt),
  isCuidCompatible,
];

/** The exact spelling is compared first, then a loose one, because some gateways change the spelling of URLs. */
const URL_KEYS: readonly UrlKey[] = [(url) => url, toLooseUrl];

export function reconcileReceipts(entries: readonly ReconcilableEntry[], receipts: readonly Receipt[]): Reconciliation {
  const matched: (Receipt | null)[] = entries.map(() => null);
  const unclaimed = new Set(receipts.keys());
  for (const urlKey of URL_KEYS) {
    const byUrl = groupByUrl(unclaimed, receipts, urlKey);
    for (const agrees of AGREEMENTS) {
      // A report that goes as expected has no receipt left after the first pass.
      if (unclaimed.size === 0) {
        break;
      }
      for (const [entryIndex, entry] of entries.entries()) {
        if (matched[entryIndex] !== null) {
          continue;
        }
        const found = byUrl
          .get(urlKey(entry.url))
          ?.find(({ index, receipt }) => unclaimed.has(index) && isSameType(entry, receipt) && agrees(entry, receipt));
        if (found !== undefined) {
          matched[entryIndex] = found.receipt;
          unclaimed.delete(found.index);
        }
      }
    }
  }
  return {
    receipts: matched,
    surplus: receipts.filter((_, index) => unclaimed.has(index)),
  };
}

function groupByUrl(unclaimed: ReadonlySet<number>, receipts: readonly Receipt[], urlKey: UrlKey) {
  const groups = new Map<string, { index: number; receipt: Receipt }[]>();
  for (const index of unclaimed) {
    const receipt = receipts[index] as Receipt;
    const key = urlKey(receipt.url);
    const group = groups.get(key) ?? [];
    group.push({ index, receipt });
    groups.set(key, group);
  }
  return groups;
}

function isSameType(entry: ReconcilableEntry, receipt: Receipt): boolean {
  return entry.licenseType === receipt.licenseType;
}

function hasSameCuid(entry: ReconcilableEntry, receipt: Receipt): boolean {
  return entry.licenseCuid === receipt.licenseCuid;
}

/** A receipt may leave the id out. It may also contain an id for a standard license that was reported without one. */
function isCuidCompatible(entry: ReconcilableEntry, receipt: Receipt): boolean {
  return entry.licenseCuid === null || receipt.licenseCuid === null || hasSameCuid(entry, receipt);
}

/** BigInt, because a wrong total may be any number and the product may exceed 2^53. */
function hasRightTotal(entry: ReconcilableEntry, receipt: Receipt): boolean {
  return BigInt(receipt.perUnitPriceMicros) * BigInt(entry.timesUsed) === BigInt(receipt.totalUsePriceMicros);
}

function hasExpectedPrice(entry: ReconcilableEntry, receipt: Receipt): boolean {
  return receipt.perUnitPriceMicros === entry.expectedUnitMicros && receipt.currency === entry.currency;
}

/** One spelling for the variants that a gateway may return: host case, escapes, default port, final slash. */
export function toLooseUrl(url: string): string {
  try {
    const parsed = new URL(url);
    const path = parsed.pathname.replace(/%[0-9a-f]{2}/gi, (triplet) => triplet.toUpperCase()).replace(/\/$/, "");
    return `${parsed.protocol}//${parsed.host}${path}${parsed.search}`;
  } catch {
    return url;
  }
}
