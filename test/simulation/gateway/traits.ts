/** The traits of one world's gateway: always legal, and sometimes unfriendly. Without a drawn trait it is correct. */

/** The price in the content answer. The gateway charges the rate, except with `above_cap` and `other_currency`. */
export type ChargeTrait = "rate" | "above_cap" | "other_currency" | "text" | "implausible";

/** What the content answer is instead, until the gateway is fixed. */
export type ContentTrait = "whole" | "unauthorized" | "redirect" | "empty";

export interface SiteTraits {
  /** Each time a page is listed its address is spelled in another of the ways that mean the same. */
  readonly respells: { readonly host: boolean; readonly path: boolean };
  /** A page of a catalog comes twice, under two dates. */
  readonly listsTwice: boolean;
  /** Each page of the catalog begins with the end of the one before. */
  readonly listsAgain: boolean;
  /** `lastMod` is the time of the request. */
  readonly datesOfRequest: boolean;
  readonly charge: ChargeTrait;
  /** The license in the content answer is another one than was ordered. */
  readonly otherLicense: "type" | "cuid" | null;
  readonly content: ContentTrait;
  /** Until the gateway is fixed it refuses to say what these cost, by their addresses. */
  readonly hidesRatesOf: readonly string[];
  /** The publisher refuses these for good, by their addresses. */
  readonly forbidden: readonly string[];
}

export interface GatewayTraits {
  readonly tokenLifeMs: number;
  /** `gateway.requestsPerSecond` of the client: a slow gate, in which tokens grow old. */
  readonly requestsPerSecond: number | null;
  /** What a report is answered whose id was accepted before, so often; then, or at once where it is null, the first receipts. */
  readonly repeatedId: { readonly status: number; readonly times: number } | null;
  /** Until the gateway is fixed every report is refused so. */
  readonly refusesReports: number | null;
  readonly receipts: "right" | "missing" | "surplus" | "wrong_total" | "other_currency";
  /** By host. */
  readonly sites: Readonly<Record<string, SiteTraits>>;
}

export const HONEST_SITE: SiteTraits = {
  respells: { host: false, path: false },
  listsTwice: false,
  listsAgain: false,
  datesOfRequest: false,
  charge: "rate",
  otherLicense: null,
  content: "whole",
  hidesRatesOf: [],
  forbidden: [],
};

export const HONEST: GatewayTraits = {
  tokenLifeMs: 300_000,
  requestsPerSecond: null,
  repeatedId: null,
  refusesReports: null,
  receipts: "right",
  sites: {},
};

export function traitsOf({ sites }: GatewayTraits, host: string): SiteTraits {
  return sites[host] ?? HONEST_SITE;
}
