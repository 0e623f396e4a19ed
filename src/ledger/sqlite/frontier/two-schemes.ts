/** Which pages the ledger also has under the other scheme: `http` and `https` are two pages, and are bought twice. */
import { withOtherScheme } from "../../../catalog/page-url.ts";
import type { ReadTx } from "../operation.ts";

/** The character behind `/` is `0`: so a range holds every URL of an origin. */
const HAS_ORIGIN = "SELECT 1 FROM page WHERE url >= ? || '/' AND url < ? || '0' LIMIT 1";

/**
 * Most sites have one scheme: then a single look answers for all these pages.
 * @param urls canonical. They may be recorded after this call
 */
export function lookForTwoSchemes(tx: ReadTx, urls: readonly string[]): (url: string) => boolean {
  const origins = new Set(urls.map(originOf));
  const doubled = new Set(
    [...origins].filter((origin) => {
      const other = withOtherScheme(origin);
      return origins.has(other) || tx.has(HAS_ORIGIN, other, other);
    }),
  );
  return (url) =>
    doubled.size > 0 && doubled.has(originOf(url)) && tx.has`SELECT 1 FROM page WHERE url = ${withOtherScheme(url)}`;
}

function originOf(url: string): string {
  return url.slice(0, url.indexOf("/", "https://".length));
}
