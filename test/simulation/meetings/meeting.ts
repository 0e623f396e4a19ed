/**
 * A meeting: a world in which the service works beside persons, with several configurations over one ledger. What its gateway sells is simple
 * (one licence, one price), so that what was asked for can be counted in pages. What meets is not.
 */
import { drawOrder, type ScenarioLimits } from "../draw-scenario.ts";
import { HONEST } from "../gateway/traits.ts";
import { createRandom, type Random } from "../random.ts";
import { type Scenario, type ScenarioSite, type Settings, settingsOf } from "../scenario.ts";
import { drawExpiry, drawPeriods } from "./times.ts";

export const PRICE_MICROS = 10_000;

export interface Meeting {
  readonly scenario: Scenario;
  /** What processes are started with. The first one is the service's. */
  readonly configurations: readonly [Settings, ...Settings[]];
  readonly hasService: boolean;
  /** What the clocks of the machines are off by that make plans and purge. */
  readonly skews: readonly number[];
}

const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const START_AT = Date.UTC(2026, 10, 18, 9);
/** Each hour; a meeting with slots begins shortly before one. */
const SCHEDULE = "0 * * * *";
/** Longer than a meeting: by a clock that is right, the rights to nothing end. */
const RETENTION = "30d";
const SHORT_RETENTION = "10s";
const AMPLE_MICROS = 1_000_000_000;

export function drawMeeting(seed: number, limits: ScenarioLimits): Meeting {
  const random = createRandom(seed, "meeting");
  const hasSlots = random.chance(0.4);
  const startAt =
    START_AT + random.int(1, 24) * HOUR_MS - (hasSlots ? random.int(1_000, 90_000) : random.int(1, HOUR_MS));
  const count = Math.min(limits.maxSites, random.int(2, 3));
  // Where each walk buys all again, nothing but its digest keeps a plan from doing so too.
  const refresh = createRandom(seed, "refresh").chance(0.45) ? ("always" as const) : ("modified" as const);
  const sites = Array.from({ length: count }, (_, index) => ({
    ...drawSite(random, index, startAt, { ...limits, onExpiry: drawExpiry(seed) }),
    refresh,
    ...(hasSlots && random.chance(0.7) ? { schedule: SCHEDULE } : {}),
  }));
  const scenario: Scenario = {
    seed,
    startAt,
    sites,
    gateway: HONEST,
    budgets: [{ scope: "all", per: "total", limitMicros: AMPLE_MICROS, currency: "USD" }, ...drawPeriods(seed)],
    fee: null,
    mistake: null,
    currencies: "one",
    reportedKinds: ["fetch", "use"],
    billedKinds: ["use"],
    order: drawOrder(random),
    reportBatchSize: random.int(1, 6),
    quoteBatchSize: random.int(1, 6),
    catalogPageSize: random.int(2, 6),
  };
  const settings = settingsOf(scenario);
  const others = random.chance(0.4) ? [withPoliciesOf(settings, drawOther(random, settings), seed)] : [];
  return {
    scenario,
    configurations: [settings, ...others],
    hasService: random.chance(0.75),
    skews: drawSkews(createRandom(seed, "clocks")),
  };
}

/** One machine of several has a wrong clock: by seconds, hours, weeks, or more than a year. */
function drawSkews(random: Random): readonly number[] {
  const ahead = random.pick([SECOND_MS, 2 * HOUR_MS, 40 * DAY_MS, 400 * DAY_MS]);
  return random.chance(0.6) ? [0, random.chance(0.7) ? ahead : -ahead] : [0];
}

function drawSite(
  random: Random,
  index: number,
  startAt: number,
  { maxPages, onExpiry }: ScenarioLimits & { readonly onExpiry: ReturnType<typeof drawExpiry> },
): Omit<ScenarioSite, "refresh"> {
  const host = `site${index}.example`;
  const pages = Array.from({ length: Math.min(maxPages, random.int(3, 12)) }, (_, page) => ({
    url: `https://${host}/${page % 3 === 0 ? "tag/" : ""}${page}`,
    lastMod: new Date(startAt - random.int(1, 40) * DAY_MS).toISOString(),
    rates: [
      {
        licenseType: "ON_DEMAND_LICENSE" as const,
        cuid: "lic-0",
        permissions: ["PARTIAL_USE"],
        micros: PRICE_MICROS,
        currency: "USD",
      },
    ],
  }));
  return {
    host,
    pages,
    policy: {
      intent: "content",
      format: "html",
      prefer: "cheapest",
      inDoubt: "hold",
      retention: RETENTION,
      onExpiry,
      rules: [{ verdict: "allow", license: null, maxPrice: null, permission: null }],
    },
  };
}

/** Another configuration of the same ledger: it lacks a site, or leaves out a section of each. */
function drawOther(random: Random, settings: Settings): Settings {
  return random.chance(0.5)
    ? { ...settings, sites: settings.sites.slice(random.int(0, 1), settings.sites.length) }
    : { ...settings, sites: settings.sites.map((site) => ({ ...site, exclude: ["/tag/**"] })) };
}

/** A configuration that lacks a site may have a policy of the same name, of its own: it says nothing of what that site's policy bought. */
function withPoliciesOf(settings: Settings, other: Settings, seed: number): Settings {
  const lacking = settings.sites.filter(({ host }) => other.sites.every((site) => site.host !== host));
  if (lacking.length === 0 || !createRandom(seed, "policies of one name").chance(0.7)) {
    return other;
  }
  const short = lacking.map(({ host, policy }) => [
    host,
    { ...policy, retention: SHORT_RETENTION, onExpiry: "purge" as const },
  ]);
  return { ...other, otherPolicies: Object.fromEntries(short) };
}

/** Whether a configuration has the site of a page, and does not exclude the page. */
export function isWithin(settings: Settings, url: string): boolean {
  return settings.sites.some(({ host }) => host === new URL(url).host) && !isExcluded(settings, url);
}

export function isExcluded({ sites }: Settings, url: string): boolean {
  const { host, pathname } = new URL(url);
  return pathname.startsWith("/tag/") && sites.some((site) => site.host === host && site.exclude !== undefined);
}
