/** What the URLs of a fetch name: pages, each once, or nothing that is a page. */
import { compileEntryFilter } from "../../catalog/entry-filter.ts";
import {
  canonicalPageUrl,
  type PageUrl,
  type PageUrlFault,
  parsePageUrl,
  withOtherScheme,
} from "../../catalog/page-url.ts";
import type { Config, SiteConfig } from "../../config/config.ts";

/** A URL of the call, as it was given. */
export interface WantedUrl {
  readonly given: string;
  /** The page's identity: two spellings of one page have the same, also under `http` and `https`. Null: it is not the address of a page. */
  readonly url: string | null;
  /** Why it is not. Null for a page. */
  readonly fault: PageUrlFault | null;
}

/** A page that some of the URLs name. Under `http` and `https` it is one page here: what is held under one is given for the other. */
export interface WantedPage extends PageUrl {
  /** Null: its site is not configured. */
  readonly site: SiteConfig | null;
}

export interface Wanted {
  /** In the order of the call. */
  readonly urls: readonly WantedUrl[];
  /** By their identities, in the order in which the call names them first. */
  readonly pages: ReadonlyMap<string, WantedPage>;
}

/** No host is empty, so a text that is a URL is never taken for a page of it. */
const NO_HOST = "";

export function toWanted({ sites }: Pick<Config, "sites">, given: readonly string[]): Wanted {
  const byHost = new Map(sites.map((site) => [site.host, site]));
  const pages = new Map<string, WantedPage>();
  const urls = given.map((raw): WantedUrl => {
    const url = canonicalPageUrl(raw);
    const host = url === null ? NO_HOST : new URL(url).host;
    const parsed = parsePageUrl(raw, host);
    if (!parsed.ok) {
      return { given: raw, url: null, fault: parsed.reason };
    }
    const { pageUrl } = parsed;
    const named = [pageUrl.url, withOtherScheme(pageUrl.url)].find((identity) => pages.has(identity));
    if (named === undefined) {
      pages.set(pageUrl.url, { ...pageUrl, site: byHost.get(host) ?? null });
    }
    return { given: raw, url: named ?? pageUrl.url, fault: null };
  });
  return { urls, pages };
}

/** Whether the globs of its site leave the page out. */
export function isExcluded({ path }: PageUrl, { include, exclude }: SiteConfig): boolean {
  return compileEntryFilter({ include, exclude })(path) !== null;
}
