/** What the gateway publishes: pages in their sites' catalogs, and the present and past rates of each page. */
import type { ScenarioSite } from "../scenario.ts";
import type { RateChange } from "./account.ts";
import { identify } from "./spellings.ts";
import { type GatewayTraits, type SiteTraits, traitsOf } from "./traits.ts";

export type Rate = RateChange["rates"][number];

export interface Page extends CatalogPlace {
  readonly url: string;
  readonly host: string;
  readonly traits: SiteTraits;
  lastMod: string | null;
  /** Counts up with each change of the content. */
  version: number;
  isRemoved: boolean;
  isForbidden: boolean;
  refusesReports: boolean;
  overchargeMicros: number;
  /** Oldest first; the last one is what it costs now. */
  readonly history: RateChange[];
}

/** The place of an entry in a catalog, newest first. */
export interface CatalogPlace {
  /** 0 when it has no date. */
  modifiedAt: number;
  /** Decides between pages of the same date. */
  readonly number: number;
}

export interface Published {
  readonly traits: GatewayTraits;
  /** Removed ones too: what was used before is reported after. */
  readonly pages: Map<string, Page>;
  /** By host, in order. */
  readonly catalogs: Map<string, Page[]>;
  readonly rates: Map<string, RateChange[]>;
}

export function publishSites(sites: readonly ScenarioSite[], traits: GatewayTraits, now: number): Published {
  const published: Published = { traits, pages: new Map(), catalogs: new Map(), rates: new Map() };
  for (const { host, pages } of sites) {
    published.catalogs.set(host, []);
    for (const page of pages) {
      publishPage(published, host, page, now);
    }
  }
  return published;
}

/** Also brings a removed page back, maybe with other rates. */
export function publishPage(
  { traits: gateway, pages, catalogs, rates }: Published,
  host: string,
  { url, lastMod, rates: offered }: ScenarioSite["pages"][number],
  now: number,
): void {
  const before = pages.get(url);
  const history = before?.history ?? [];
  history.push({ at: now, rates: offered });
  const traits = traitsOf(gateway, host);
  const page: Page = {
    url,
    host,
    traits,
    lastMod,
    modifiedAt: toTime(lastMod),
    number: before?.number ?? pages.size,
    version: (before?.version ?? 0) + 1,
    isRemoved: false,
    isForbidden: traits.forbidden.includes(url),
    refusesReports: false,
    overchargeMicros: traits.charge === "above_cap" ? 1_700 : 0,
    history,
  };
  pages.set(url, page);
  rates.set(url, history);
  const others = (catalogs.get(host) ?? []).filter((other) => other !== before);
  catalogs.set(host, [...others, page].sort(compareCatalogPlaces));
}

/** The page that an address means, in whatever spelling. */
export function findPage({ pages }: Pick<Published, "pages">, spelling: string): Page | undefined {
  return pages.get(spelling) ?? pages.get(identify(spelling) ?? "");
}

export function touchPage(page: Page, lastMod: string, { catalogs }: Published): void {
  page.lastMod = lastMod;
  page.modifiedAt = toTime(lastMod);
  page.version += 1;
  catalogs.get(page.host)?.sort(compareCatalogPlaces);
}

export function changePrice(page: Page, rateIndex: number, micros: number, now: number): void {
  const rates = currentRates(page).map((rate, index) => (index === rateIndex ? { ...rate, micros } : rate));
  page.history.push({ at: now, rates });
}

export function currentRates(page: Page): readonly Rate[] {
  return page.history.at(-1)?.rates ?? [];
}

/** The rate of a license, as it is now. A standard license may come without its id. */
export function findRate(page: Page, licenseType: string, cuid: string | null): Rate | undefined {
  return currentRates(page).find((rate) => isOf(rate, licenseType, cuid));
}

/** The last rate that this license had on this page, be it no longer on offer. */
export function findLastRate(page: Page, licenseType: string, cuid: string | null): Rate | undefined {
  const listing = page.history.findLast(({ rates }) => rates.some((rate) => isOf(rate, licenseType, cuid)));
  return listing?.rates.find((rate) => isOf(rate, licenseType, cuid));
}

export function compareCatalogPlaces(one: CatalogPlace, other: CatalogPlace): number {
  return other.modifiedAt - one.modifiedAt || one.number - other.number;
}

function isOf(rate: Rate, licenseType: string, cuid: string | null): boolean {
  return rate.licenseType === licenseType && (cuid === null || rate.cuid === cuid);
}

function toTime(lastMod: string | null): number {
  return Date.parse(lastMod ?? "") || 0;
}
