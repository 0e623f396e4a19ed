import { hashText } from "../random.ts";
import type { CatalogEntry, EditableSite, Page, PageFormat, PageInput, RenderedPage } from "./page.ts";

/** Where a page's content comes from. Read and converted on the first request only. */
export type PageSource = (format: PageFormat, url: string) => RenderedPage;

/** A page as a site source gives it. */
export interface ListedPage {
  readonly url: string;
  readonly lastMod: string | undefined;
  readonly source: PageSource;
  readonly indexing?: boolean;
  readonly access?: "open" | "refused";
}

/** Catalog order. `lastMod`: newest first, entries without a readable date last. `listed`: as the source lists them. */
export type CatalogOrder = "lastMod" | "listed";

interface ListedSiteParts {
  readonly host: string;
  readonly pages: Iterable<ListedPage>;
  readonly order: CatalogOrder;
  /** Whether indexing is allowed where the page does not say. */
  readonly indexing: boolean;
  /** Converts a page that is given at run time. */
  readonly toListedPage: (input: PageInput) => ListedPage;
}

/** A site whose pages can also be given as they are listed. */
export interface ListedSite extends EditableSite {
  /** Adds a page, or replaces the page with its URL. Returns which of the two happened. */
  list(page: ListedPage): "CREATED" | "UPDATED";
}

/** A site with a list of its pages. A URL that is listed twice is twice in the catalog. It is one page: the one that was listed first. */
export function createListedSite(parts: ListedSiteParts): ListedSite {
  const { host } = parts;
  const pages = new Map<string, Page>();
  let entries: { readonly entry: CatalogEntry; readonly at: number }[] = [];
  let sorted = false;
  let versions = 0;

  const toPage = (listed: ListedPage): Page => {
    versions += 1;
    return {
      url: listed.url,
      host,
      lastMod: listed.lastMod,
      version: versions,
      indexing: listed.indexing ?? parts.indexing,
      access: listed.access ?? "open",
      render: (format) => listed.source(format, listed.url),
    };
  };
  const list = (listed: ListedPage) => {
    entries.push({ entry: { pageUrl: listed.url, lastMod: listed.lastMod }, at: toInstant(listed.lastMod) });
    sorted = false;
  };
  const unlist = (url: string) => {
    entries = entries.filter(({ entry }) => pageKey(entry.pageUrl) !== pageKey(url));
  };
  const inOrder = () => {
    // Stable, so entries of one instant keep the order in which they were listed.
    if (!sorted && parts.order === "lastMod") {
      entries.sort((left, right) => compareInstants(left.at, right.at));
    }
    sorted = true;
    return entries;
  };

  const replace = (listed: ListedPage) => {
    const known = pages.has(pageKey(listed.url));
    if (known) {
      unlist(listed.url);
    }
    pages.set(pageKey(listed.url), toPage(listed));
    list(listed);
    return known ? "UPDATED" : "CREATED";
  };

  for (const listed of parts.pages) {
    const key = pageKey(listed.url);
    if (!pages.has(key)) {
      pages.set(key, toPage(listed));
    }
    list(listed);
  }

  return {
    host,
    propertyId: `prop-${hashText(host).toString(36)}`,
    get entryCount() {
      return entries.length;
    },
    find: (url) => pages.get(url) ?? pages.get(pageKey(url)),
    entries: (offset, count) =>
      inOrder()
        .slice(offset, offset + count)
        .map(({ entry }) => entry),
    list: replace,
    put: (input) => replace(parts.toListedPage(input)),
    remove: (url) => {
      unlist(url);
      return pages.delete(pageKey(url));
    },
  };
}

/**
 * Two spellings of a URL that every HTTP client treats as one (case of scheme and host, default port, empty path) are one page. A
 * trailing slash, the query and the case of percent-encodings are significant.
 */
export function pageKey(url: string): string {
  return URL.parse(url)?.href ?? url;
}

/** Epoch ms of a catalog date. NaN when there is none or it cannot be read. */
function toInstant(lastMod: string | undefined): number {
  return lastMod === undefined ? Number.NaN : Date.parse(lastMod);
}

function compareInstants(left: number, right: number): number {
  if (Number.isNaN(left)) {
    return Number.isNaN(right) ? 0 : 1;
  }
  return Number.isNaN(right) ? -1 : right - left;
}
