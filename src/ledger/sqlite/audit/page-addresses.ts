/** Promise 0, the addresses: each page is of its site, and each of its spellings names it. */
import { canonicalPageUrl, parsePageUrl } from "../../../catalog/page-url.ts";
import { type Audited, checksOf } from "./audited.ts";

interface PageRow {
  readonly url: string;
  readonly wireUrl: string | null;
  readonly host: string;
}

interface PurchaseRow {
  readonly id: number;
  readonly pageUrl: string;
  readonly url: string;
}

interface EntryRow {
  readonly url: string;
  readonly wireUrl: string;
  readonly batch: string;
}

/** What was bought under one spelling and reported under another could be two pages to the gateway. */
const MISREPORTED = `SELECT format('report %s says %s for a use of purchase %d, which was bought as %s', b.idempotency_id, e.wire_url, p.id, p.url)
  FROM use u JOIN purchase p ON p.id = u.purchase_id JOIN usage_entry e ON e.id = u.entry_id JOIN usage_batch b ON b.id = e.batch_id WHERE e.wire_url <> p.url`;

export const PAGE_ADDRESSES = [
  ...checksOf(0, [findBrokenPages]),
  ...checksOf(3, [findMisnamedPurchases]),
  ...checksOf(5, [findMisnamedEntries, MISREPORTED]),
];

function* findBrokenPages({ db }: Audited): Iterable<string> {
  const pages = db.prepare<[], PageRow>(
    "SELECT g.url, g.wire_url AS wireUrl, s.host FROM page g JOIN site s ON s.id = g.site_id",
  );
  for (const { url, wireUrl, host } of pages.iterate()) {
    const parsed = parsePageUrl(url, host);
    if (!parsed.ok || parsed.pageUrl.url !== url) {
      yield `page ${url} is not a page of ${host}`;
    } else if (wireUrl !== null && canonicalPageUrl(wireUrl) !== url) {
      yield `page ${url} is called ${wireUrl} on the wire, which is another page`;
    }
  }
}

/** Most purchases are spelt as their page, and need no look. */
function* findMisnamedPurchases({ db }: Audited): Iterable<string> {
  const purchases = db.prepare<[], PurchaseRow>(
    "SELECT p.id, g.url AS pageUrl, p.url FROM purchase p JOIN page g ON g.id = p.page_id WHERE p.url <> g.url",
  );
  for (const { id, pageUrl, url } of purchases.iterate()) {
    if (canonicalPageUrl(url) !== canonicalPageUrl(pageUrl)) {
      yield `purchase ${id} of ${pageUrl} is made under ${url}, which is another page`;
    }
  }
}

/** Most entries are spelt as their page, and need no look. */
function* findMisnamedEntries({ db }: Audited): Iterable<string> {
  const entries = db.prepare<[], EntryRow>(
    "SELECT g.url, e.wire_url AS wireUrl, b.idempotency_id AS batch FROM usage_entry e JOIN page g ON g.id = e.page_id JOIN usage_batch b ON b.id = e.batch_id WHERE e.wire_url <> g.url",
  );
  for (const { url, wireUrl, batch } of entries.iterate()) {
    if (canonicalPageUrl(wireUrl) !== canonicalPageUrl(url)) {
      yield `report ${batch} says ${wireUrl} for uses of ${url}`;
    }
  }
}
