/** The endpoint *Bulk Get Rate* of the gateway specification. */
import { canonicalPageUrl } from "../../catalog/page-url.ts";
import type { Rate, RateListing } from "../../rates/rate.ts";
import { isObject, readText } from "../json-answer.ts";
import { readRateListing } from "./rate-option.ts";

export function writeRatesBatch(urls: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify({ urls }));
}

/**
 * The listings by requested URL, or null when the answer is not a list.
 *
 * The order of the answer has no meaning. An entry belongs to the requested URL that it names literally, or else to the URLs with
 * the same identity in another spelling. An entry for any other URL is ignored. When a URL comes twice, its rates are merged
 * without repeats, so no offer is lost. The quoted price is sent as the token's cap, so the gateway decides which price is true.
 */
export function readRatesBatch(json: unknown, urls: readonly string[]): ReadonlyMap<string, RateListing> | null {
  if (!Array.isArray(json)) {
    return null;
  }
  const listings = new Map<string, GatheredListing>();
  const asked = new Set(urls);
  let askedByIdentity: Map<string, string[]> | null = null;
  for (const entry of json) {
    const url = isObject(entry) ? readText(entry.url) : null;
    if (url === null) {
      continue;
    }
    const listing = readRateListing((entry as Record<string, unknown>).rates);
    if (asked.has(url)) {
      add(listings, url, listing);
      continue;
    }
    askedByIdentity ??= groupByIdentity(asked);
    for (const same of askedByIdentity.get(canonicalPageUrl(url) ?? url) ?? []) {
      add(listings, same, listing);
    }
  }
  return new Map([...listings].map(([url, gathered]) => [url, toListing(gathered)]));
}

function groupByIdentity(urls: ReadonlySet<string>): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const url of urls) {
    const identity = canonicalPageUrl(url) ?? url;
    const group = groups.get(identity);
    if (group === undefined) {
      groups.set(identity, [url]);
    } else {
      group.push(url);
    }
  }
  return groups;
}

/** The entries for one URL so far. Maps, because a gateway may repeat a URL very often. */
interface GatheredListing {
  readonly first: RateListing;
  /** The rates by their text. Null while the URL came once, which is the usual case. */
  united: { readonly rates: Map<string, Rate>; readonly unreadable: Set<string> } | null;
}

function add(listings: Map<string, GatheredListing>, url: string, listing: RateListing): void {
  const known = listings.get(url);
  if (known === undefined) {
    listings.set(url, { first: listing, united: null });
    return;
  }
  if (known.united === null) {
    known.united = { rates: new Map(), unreadable: new Set() };
    unite(known.united, known.first);
  }
  unite(known.united, listing);
}

function unite(united: NonNullable<GatheredListing["united"]>, { rates, unreadable }: RateListing): void {
  for (const rate of rates) {
    united.rates.set(JSON.stringify(rate), rate);
  }
  for (const reason of unreadable) {
    united.unreadable.add(reason);
  }
}

function toListing({ first, united }: GatheredListing): RateListing {
  return united === null ? first : { rates: [...united.rates.values()], unreadable: [...united.unreadable] };
}
