/** Draws a world: sites, pages, rates, policies and budgets, chosen so that every rule of the design gets its edge cases. */
import { drawTraits } from "./gateway/draw-traits.ts";
import { createRandom, type Random } from "./random.ts";
import type {
  Scenario,
  ScenarioBudget,
  ScenarioFee,
  ScenarioPage,
  ScenarioPolicy,
  ScenarioRate,
  ScenarioRule,
  ScenarioSite,
  Settings,
} from "./scenario.ts";

/** Upper ends, which shrinking lowers. */
export interface ScenarioLimits {
  readonly maxSites: number;
  readonly maxPages: number;
  /** Traits of the gateway that no world has. */
  readonly withoutTraits: ReadonlySet<string>;
}

const DAY_MS = 86_400_000;
/** Instants shortly before something begins anew: a day, a week and a day, a month and a day, a year. */
const EVES = [Date.UTC(2026, 10, 18), Date.UTC(2026, 10, 23), Date.UTC(2026, 11, 1), Date.UTC(2027, 0, 1)];

export function drawScenario(seed: number, limits: ScenarioLimits): Scenario {
  const random = createRandom(seed, "scenario");
  const startAt = random.pick(EVES) - (random.chance(0.5) ? random.int(0, 30_000) : random.int(0, DAY_MS));
  const siteCount = Math.min(limits.maxSites, random.int(1, 3));
  const terms = createRandom(seed, "terms");
  const currencies: Scenario["currencies"] = terms.chance(0.3) ? "several" : "one";
  const drawn = Array.from({ length: siteCount }, (_, index) => {
    const site = drawSite(createRandom(seed, `site ${index}`), index, startAt, limits, currencies);
    return { ...site, ...drawWalk(terms, site) };
  });
  const { sites, gateway } = drawTraits(seed, drawn, limits.withoutTraits);
  return {
    seed,
    startAt,
    sites,
    gateway,
    budgets: drawBudgets(random, { sites, currencies }),
    fee: drawFee(terms),
    mistake: null,
    currencies,
    ...drawKinds(random),
    order: drawOrder(createRandom(seed, "run order")),
    reportBatchSize: random.int(1, 6),
    quoteBatchSize: random.int(1, 6),
    catalogPageSize: random.int(2, 6),
  };
}

/** Which uses are reported, and which of them are charged on their report. */
export function drawKinds(random: Random): Pick<Settings, "reportedKinds" | "billedKinds"> {
  const fetchIsReported = random.chance(0.85);
  const billsFetch = fetchIsReported && random.chance(0.15);
  return {
    reportedKinds: fetchIsReported ? ["fetch", "use"] : ["use"],
    billedKinds: billsFetch ? ["fetch", "use"] : random.chance(0.8) ? ["use"] : [],
  };
}

/** What is bought first: in half of the worlds, what the catalog names first. */
export function drawOrder(random: Random): Settings["order"] {
  return random.pick(["catalog", "catalog", "catalog", "newest", "cheapest", "value"]);
}

/** A share, an amount, or both; none in most worlds. */
export function drawFee(random: Random): ScenarioFee | null {
  if (!random.chance(0.3)) {
    return null;
  }
  const fixed = random.chance(0.5) ? { micros: random.int(1, 3_000), currency: random.pick(["USD", "EUR"]) } : null;
  return { ppm: random.int(0, 3) * 25_000 + random.int(0, 9) * 100, fixed };
}

/** Shortened walks, and pages a run and site. */
function drawWalk(random: Random, { refresh }: ScenarioSite): Pick<ScenarioSite, "walk" | "maxPages"> {
  const fullEveryMs = random.pick([DAY_MS, 7 * DAY_MS, 400 * DAY_MS]);
  const overlapMs = random.pick([0, 60_000, DAY_MS]);
  return {
    walk: refresh !== "always" && random.chance(0.5) ? { fullEveryMs, overlapMs } : undefined,
    maxPages: random.chance(0.12) ? random.int(1, 6) : undefined,
  };
}

export function drawRefresh(random: Random): ScenarioSite["refresh"] {
  return random.pick(["modified", "modified", "always", "never"]);
}

function drawSite(
  random: Random,
  index: number,
  startAt: number,
  limits: ScenarioLimits,
  currencies: Scenario["currencies"],
): ScenarioSite {
  const host = `site${index}.example`;
  const count = Math.min(limits.maxPages, random.int(1, 14));
  const hasDates = random.chance(0.8);
  const pages = Array.from({ length: count }, (_, page) =>
    drawPage(random, `https://${host}/${page}`, hasDates ? drawDate(random, startAt) : null, currencies),
  );
  return { host, policy: drawPolicy(random), refresh: drawRefresh(random), pages };
}

/** Now and then in the future, as publishers do by mistake. */
function drawDate(random: Random, startAt: number): number {
  return startAt + (random.chance(0.1) ? random.int(1, 5) : -random.int(1, 40)) * DAY_MS;
}

export function drawPage(
  random: Random,
  url: string,
  modifiedAt: number | null,
  currencies: Scenario["currencies"],
): ScenarioPage {
  const euros = currencies === "several" ? 0.5 : 0.12;
  return {
    url,
    lastMod: modifiedAt === null ? null : new Date(modifiedAt).toISOString(),
    rates: random.chance(0.06)
      ? []
      : Array.from({ length: random.int(1, 3) }, (_, index) => drawRate(random, index, euros)),
  };
}

const LICENSES: readonly Pick<ScenarioRate, "licenseType" | "permissions">[] = [
  { licenseType: "ON_DEMAND_LICENSE", permissions: ["PARTIAL_USE"] },
  { licenseType: "ON_DEMAND_FULL_USE_LICENSE", permissions: ["FULL_USE", "PARTIAL_USE"] },
  { licenseType: "CUSTOM_LICENSE", permissions: ["PARTIAL_USE", "CITATION_REQUIRED"] },
];

/** @param euros how often it is in euros */
function drawRate(random: Random, index: number, euros: number): ScenarioRate {
  const license = LICENSES[index] as (typeof LICENSES)[number];
  return {
    ...license,
    cuid: `lic-${index}`,
    micros: random.chance(0.08) ? 0 : random.int(1, 40) * 1_000 + random.int(0, 3),
    currency: random.chance(euros) ? "EUR" : "USD",
  };
}

export function drawPolicy(random: Random): ScenarioPolicy {
  const intent = random.chance(0.1) ? "indexing" : "content";
  return {
    intent,
    format: random.pick(["markdown", "markdown", "html", "both"]),
    prefer: random.pick(["cheapest", "most-permissive"]),
    inDoubt: random.chance(0.25) ? "rebuy" : "hold",
    rules: intent === "indexing" ? [ANYTHING] : drawRules(random),
  };
}

const ANYTHING: ScenarioRule = { verdict: "allow", license: null, maxPrice: null, permission: null };

function drawRules(random: Random): ScenarioRule[] {
  const maxPrice = { micros: random.int(10, 40) * 1_000, currency: "USD" };
  const rules: ScenarioRule[] = [];
  if (random.chance(0.3)) {
    rules.push({ ...ANYTHING, verdict: "deny", permission: "CITATION_REQUIRED" });
  }
  if (random.chance(0.3)) {
    rules.push({ ...ANYTHING, license: "ON_DEMAND_FULL_USE_LICENSE", maxPrice });
  }
  rules.push(random.chance(0.6) ? ANYTHING : { ...ANYTHING, maxPrice });
  return rules;
}

/** From far too small to ample, over all scopes and periods; always one that covers everything, else nothing would be bought. */
export function drawBudgets(
  random: Random,
  { sites, currencies }: Pick<Scenario, "sites" | "currencies">,
): ScenarioBudget[] {
  const total = sites.reduce((sum, { pages }) => sum + pages.length, 0) * 20_000;
  const limit = () => Math.max(1, Math.round(total * random.pick([0.1, 0.4, 0.8, 3, 10, 10])) + random.int(-2, 2));
  const budgets: ScenarioBudget[] = [
    { scope: "all", per: random.pick(["day", "week", "month", "total", null]), limitMicros: limit(), currency: "USD" },
  ];
  for (const { host } of sites) {
    if (random.chance(0.4)) {
      const per = random.pick(["day", "week", "month", "total"] as const);
      budgets.push({ scope: `site:${host}`, per, limitMicros: limit(), currency: "USD" });
    }
  }
  if (random.chance(0.3)) {
    budgets.push({ scope: "run", per: null, limitMicros: limit(), currency: "USD" });
  }
  if (random.chance(0.5) || currencies === "several") {
    budgets.push({ scope: "all", per: "day", limitMicros: limit(), currency: "EUR" });
  }
  return budgets;
}
