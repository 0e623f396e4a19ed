/** Draws the traits of a world's gateway. Each trait has its own random stream, so that the others stay the same when one is added. */
import { createRandom, type Random } from "../random.ts";
import type { ScenarioPage, ScenarioRule, ScenarioSite } from "../scenario.ts";
import { type GatewayTraits, HONEST, HONEST_SITE, type SiteTraits } from "./traits.ts";

/** How often a world, or a site of it, has a trait. */
const CHANCES = {
  /** Of a world. */
  short_tokens: 0.2,
  repeated_id: 0.2,
  refuses_reports: 0.08,
  receipts: 0.12,
  /** Of a site. */
  respells_host: 0.15,
  respells_path: 0.15,
  lists_twice: 0.12,
  lists_again: 0.5,
  dates_of_request: 0,
  charge: 0.12,
  other_license: 0.06,
  content: 0.08,
  hides_rates: 0.2,
  half_forbidden: 0.2,
  private_pages: 0.15,
  no_permissions: 0.12,
} as const;

export type TraitKind = keyof typeof CHANCES;
export const TRAIT_KINDS = Object.keys(CHANCES) as readonly TraitKind[];

export interface Drawn {
  readonly sites: readonly ScenarioSite[];
  readonly gateway: GatewayTraits;
}

/** @param without traits that no world has: shrinking takes away what a failure does not need */
export function drawTraits(seed: number, sites: readonly ScenarioSite[], without: ReadonlySet<string>): Drawn {
  const draw = (kind: TraitKind, place: string): Random | null => {
    const random = createRandom(seed, `trait ${kind} ${place}`);
    return random.chance(CHANCES[kind]) && !without.has(kind) ? random : null;
  };
  const drawn = sites.map((site) => drawSite(site, (kind) => draw(kind, site.host)));
  const drawWorld = (kind: TraitKind) => draw(kind, "world");
  const isSlow = drawWorld("short_tokens");
  const repeated = drawWorld("repeated_id");
  return {
    sites: drawn.map(({ site }) => site),
    gateway: {
      ...HONEST,
      ...(isSlow === null ? {} : { tokenLifeMs: isSlow.int(3, 4) * 1_000, requestsPerSecond: 1 }),
      repeatedId:
        repeated === null
          ? null
          : { status: repeated.pick([400, 404, 409, 410, 413, 422, 500]), times: repeated.int(1, 6) },
      refusesReports: drawWorld("refuses_reports")?.pick([400, 401, 403, 405, 503]) ?? null,
      receipts: drawWorld("receipts")?.pick(["missing", "surplus", "wrong_total", "other_currency"]) ?? "right",
      sites: Object.fromEntries(drawn.map(({ site, traits }) => [site.host, traits])),
    },
  };
}

type Draw = (kind: TraitKind) => Random | null;

function drawSite(drawn: ScenarioSite, draw: Draw): { readonly site: ScenarioSite; readonly traits: SiteTraits } {
  const site = rename(drawn, draw);
  return {
    site,
    traits: {
      ...HONEST_SITE,
      respells: {
        host: draw("respells_host") !== null,
        path: draw("respells_path") !== null,
      },
      listsTwice: draw("lists_twice") !== null,
      listsAgain: draw("lists_again") !== null,
      datesOfRequest: draw("dates_of_request") !== null,
      charge: draw("charge")?.pick(["above_cap", "other_currency", "text", "implausible"]) ?? "rate",
      otherLicense: draw("other_license")?.pick(["type", "cuid"]) ?? null,
      content: draw("content")?.pick(["unauthorized", "redirect", "empty"]) ?? "whole",
      hidesRatesOf: drawSome(
        site.pages.map(({ url }) => url),
        draw("hides_rates"),
      ),
      forbidden: site.pages.map(({ url }) => url).filter((url) => new URL(url).pathname.startsWith(CLOSED)),
    },
  };
}

function drawSome(urls: readonly string[], random: Random | null): readonly string[] {
  return random === null ? [] : urls.filter(() => random.chance(0.4));
}

/** A section that the publisher keeps to itself, and one that the policy does not want. */
const CLOSED = "/closed/";
const PRIVATE = "/private/";
/** Ways around a glob: each is a page of its own at the gateway, and is under the glob by what its path means. */
const PRIVATE_SPELLINGS = ["/private/", "//private/", "/%2Fprivate/", "/private%2F", "/x%2F..%2Fprivate/"];
const NOT_PRIVATE: ScenarioRule = {
  verdict: "deny",
  license: null,
  maxPrice: null,
  permission: null,
  urls: ["/private/**"],
};

/** More than five where there are so many: after five refused pages a site is looked into. */
function shutCount(pages: number): number {
  return Math.max(Math.ceil(pages / 2), Math.min(pages - 1, 6));
}

/** Gives pages the addresses, and sites the rules, that the traits are about. */
function rename(site: ScenarioSite, draw: Draw): ScenarioSite {
  const closed = draw("half_forbidden");
  const hidden = draw("private_pages");
  const noPermissions = draw("no_permissions");
  const respells = draw("respells_path");
  // The newest pages are the ones that come first.
  const newest = [...site.pages].sort((one, other) => ((one.lastMod ?? "") < (other.lastMod ?? "") ? 1 : -1));
  const shut = new Set(closed === null ? [] : newest.slice(0, shutCount(newest.length)));
  const nameOf = (page: ScenarioPage, number: number): string => {
    if (shut.has(page)) {
      return `${CLOSED}${number}`;
    }
    if (hidden?.chance(0.3)) {
      return `${hidden.pick(PRIVATE_SPELLINGS)}${number}`;
    }
    return respells === null ? `/${number}` : respells.pick([`/~${number}`, `/caf%C3%A9-${number}`, `/${number}`]);
  };
  const pages = site.pages.map((page, number) => ({
    ...page,
    url: page.url.replace(/\/\d+$/, nameOf(page, number)),
    rates:
      noPermissions === null
        ? page.rates
        : page.rates.map((rate) => ({ ...rate, permissions: [], hidesPermissions: true })),
  }));
  const rules = hidden === null ? site.policy.rules : [NOT_PRIVATE, ...site.policy.rules];
  return { ...site, pages, policy: { ...site.policy, rules } };
}

/** Whether a page is in the part of its site that the policy does not want, by what its path means. */
export function isPrivate(url: string): boolean {
  const path = new URL(url).pathname;
  const meant = decodeURIComponent(path).replace(/\/{2,}/g, "/");
  return new URL(meant, "https://any.example").pathname.startsWith(PRIVATE);
}
