import { canonicalPageUrl } from "./page-url.ts";

/**
 * Finds the site of an address among many, by its host and port. Null: the address is of none of them, or is not the address of a page.
 * @param sites each with its configured host (page-url.ts)
 */
export function createSiteLookup<Site extends { readonly host: string }>(
  sites: Iterable<Site>,
): (url: string) => Site | null {
  const byOrigin = new Map([...sites].flatMap((site) => originsOf(site.host).map((origin) => [origin, site] as const)));
  return (url) => {
    const identity = canonicalPageUrl(url);
    return identity === null ? null : (byOrigin.get(new URL(identity).origin) ?? null);
  };
}

/** Both schemes: a port that is the default of one is a part of the host under the other. */
function originsOf(host: string): string[] {
  return ["https:", "http:"].flatMap((scheme) => URL.parse(`${scheme}//${host}`)?.origin ?? []);
}
