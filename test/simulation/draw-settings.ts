/** How operators change a configuration between runs and during runs. */
import { drawBudgets, drawFee, drawKinds, drawPolicy, drawRefresh } from "./draw-scenario.ts";
import type { Random } from "./random.ts";
import type { Scenario, ScenarioBudget, ScenarioPolicy, ScenarioRule, ScenarioSite, Settings } from "./scenario.ts";

/** What they edit; each kind is as likely as often it is listed here. */
export const EDITS = [
  "stricter",
  "stricter",
  "policy",
  "doubts",
  "remove site",
  "all sites",
  "budgets",
  "no budgets",
  "lower budgets",
  "another currency",
  "raise budgets",
  "refresh",
  "max pages",
  "fee",
  "billing",
  "wrong key",
  "wrong report path",
  "wrong report path",
  "fix",
] as const;

export function drawEdit(scenario: Scenario, settings: Settings, random: Random): Partial<Settings> {
  const edit = random.pick(EDITS);
  const editSite = (change: (site: ScenarioSite) => Partial<ScenarioSite>): Partial<Settings> => {
    const chosen = random.pick(settings.sites);
    return { sites: settings.sites.map((site) => (site === chosen ? { ...site, ...change(site) } : site)) };
  };
  const editBudgets = (change: (budget: ScenarioBudget) => Partial<ScenarioBudget>): Partial<Settings> => ({
    budgets: settings.budgets.map((budget) => ({ ...budget, ...change(budget) })),
  });
  switch (edit) {
    case "stricter":
      return editSite(({ policy }) => ({ policy: drawStricter(policy, random) }));
    case "policy":
      return editSite(() => ({ policy: drawPolicy(random) }));
    case "doubts":
      return editSite(({ policy }) => ({
        policy: { ...policy, inDoubt: policy.inDoubt === "hold" ? "rebuy" : "hold" },
      }));
    case "remove site":
      return settings.sites.length === 1 ? {} : { sites: settings.sites.filter((_, index) => index > 0) };
    case "all sites":
      return { sites: scenario.sites };
    case "budgets":
      return { budgets: drawBudgets(random, scenario) };
    case "no budgets":
      return { budgets: [] };
    case "lower budgets":
      return editBudgets(({ limitMicros }) => ({ limitMicros: Math.floor(limitMicros / random.pick([2, 10, 1_000])) }));
    case "another currency":
      return editBudgets(({ currency }) => ({ currency: currency === "USD" ? "EUR" : "USD" }));
    case "raise budgets":
      return editBudgets(({ limitMicros }) => ({ limitMicros: limitMicros * 20 }));
    case "refresh":
      return editSite(() => ({ refresh: drawRefresh(random) }));
    case "max pages":
      return editSite(() => ({ maxPages: random.chance(0.5) ? random.int(1, 4) : undefined }));
    case "fee":
      return { fee: drawFee(random) };
    case "billing":
      return drawKinds(random);
    case "wrong key":
      return { mistake: { kind: "key" } };
    case "wrong report path":
      return { mistake: { kind: "report path", status: random.pick([400, 400, 404, 405, 422]) } };
    case "fix":
      return { mistake: null };
    default:
      return edit satisfies never;
  }
}

/** `deny: {}`, or one condition more before all others. */
function drawStricter(policy: ScenarioPolicy, random: Random): ScenarioPolicy {
  const anything: ScenarioRule = { verdict: "deny", license: null, maxPrice: null, permission: null };
  const [first, ...others] = random.pick<readonly ScenarioRule[]>([
    [anything],
    [{ ...anything, permission: "PARTIAL_USE" }, ...policy.rules],
    [{ ...anything, license: "ON_DEMAND_LICENSE" }, ...policy.rules],
    policy.rules.map((rule) => ({ ...rule, maxPrice: { micros: 5_000, currency: "USD" } })),
  ]) as [ScenarioRule, ...ScenarioRule[]];
  // Indexing has no licenses and prices: a rule with a condition on one is an error of the configuration.
  return { ...policy, rules: policy.intent === "indexing" ? [anything] : [first, ...others] };
}
