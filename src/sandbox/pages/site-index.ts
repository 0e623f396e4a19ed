import type { EditableSite, Page, PageInput, Site } from "./page.ts";

/** All sites of a sandbox. */
export interface SiteIndex {
  readonly sites: readonly Site[];
  /** The page of exactly this URL, on whichever site lists it. */
  find(url: string): Page | null;
  site(host: string): Site | null;
  /** The editable site that a page belongs to, and the page with its full URL. @throws Error when there is none. */
  locate(input: PageInput): { readonly site: EditableSite; readonly input: PageInput };
  /** @throws Error when no site lists the page, or its site cannot be changed. */
  remove(url: string): Page;
}

/** @throws Error when two sites have one host. */
export function createSiteIndex(sites: readonly Site[]): SiteIndex {
  const byHost = new Map<string, Site>();
  for (const site of sites) {
    if (byHost.has(site.host)) {
      throw new Error(`site ${site.host} is given twice`);
    }
    byHost.set(site.host, site);
  }
  const find = (url: string) => {
    for (const site of sites) {
      const page = site.find(url);
      if (page !== undefined) {
        return page;
      }
    }
    return null;
  };
  return {
    sites,
    find,
    site: (host) => byHost.get(host) ?? null,
    locate: (input) => {
      const [only] = sites;
      const relative = input.url.startsWith("/");
      if (relative && (sites.length !== 1 || only === undefined)) {
        throw new Error(`page ${input.url}: with several sites, give the full URL`);
      }
      const url = relative ? `https://${only?.host}${input.url}` : input.url;
      const host = find(url)?.host ?? hostOf(url);
      return { site: assertEditable(byHost.get(host), host), input: { ...input, url } };
    },
    remove: (url) => {
      const page = find(url);
      if (page === null) {
        throw new Error(`page ${url} does not exist, so it cannot be removed`);
      }
      assertEditable(byHost.get(page.host), page.host).remove(url);
      return page;
    },
  };
}

function hostOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) {
    throw new Error(`page ${url}: not an absolute URL`);
  }
  return parsed.host;
}

function assertEditable(site: Site | undefined, host: string): EditableSite {
  if (site === undefined) {
    throw new Error(`this sandbox does not have the site ${host}`);
  }
  if (!("put" in site)) {
    throw new Error(`site ${host} is synthetic: its pages cannot be changed`);
  }
  return site as EditableSite;
}
