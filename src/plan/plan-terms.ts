/**
 * The configuration that decides what a plan contains, without secrets: which gateway and agent, what it charges, in which order, under
 * which policies, from which sites. A saved plan has a copy of it, so that a run under another configuration can say what differs.
 *
 * What only limits (budgets, `maxPages`, `maxSpend`) is not a part of it: a plan is bought under the limits of the day on which it is bought,
 * and they can only make it buy less.
 */
import type { Config, SiteConfig } from "../config/config.ts";
import { formatMoney } from "../money/format-money.ts";
import { formatPercent } from "../money/format-percent.ts";
import type { Money } from "../money/money.ts";
import type { Conditions, Fee, Policy, Rule } from "../policy/rule.ts";
import { formatDuration } from "../time/duration.ts";

/** In the words of the configuration file. What is not set is absent. */
export interface PlanTerms {
  readonly gateway: {
    readonly baseUrl: string;
    readonly service: string;
    readonly agentId: string;
    readonly fee?: { readonly percent: string; readonly fixed?: string };
  };
  /** The order in which the plan was made, that of its lines. It is bought in it, whatever is configured then. */
  readonly order: string;
  /** The policies of the plan's sites, by name. */
  readonly policies: Readonly<Record<string, PolicyTerms>>;
  /** The plan's sites, by host. */
  readonly sites: Readonly<Record<string, PlannedSiteTerms>>;
}

export interface PolicyTerms {
  readonly intent: string;
  readonly format: string;
  readonly prefer: string;
  readonly inDoubt: string;
  readonly rules: readonly RuleTerms[];
}

type RuleTerms = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface PlannedSiteTerms {
  readonly policy: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly refresh: { readonly when: string; readonly maxAge?: string; readonly minAge?: string };
  readonly reporting: { readonly kinds: readonly string[]; readonly billed: readonly string[] };
}

/**
 * @param hosts the plan's sites; one that is not configured is absent
 * @param order that of the plan's lines
 */
export function toPlanTerms(config: Config, hosts: readonly string[], order: string): PlanTerms {
  const { baseUrl, service, agentId, fee } = config.gateway;
  const sites = config.sites.filter(({ host }) => hosts.includes(host)).sort((a, b) => (a.host < b.host ? -1 : 1));
  const policies = new Map(sites.map(({ policy }) => [policy.name, policy]));
  return {
    gateway: { baseUrl, service, agentId, ...given("fee", fee, toFeeTerms) },
    order,
    policies: Object.fromEntries([...policies].sort(byName).map(([name, policy]) => [name, toPolicyTerms(policy)])),
    sites: Object.fromEntries(sites.map((site) => [site.host, toSiteTerms(site)])),
  };
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function toFeeTerms({ ratePpm, fixed }: Fee) {
  return { percent: formatPercent(ratePpm), ...given("fixed", fixed, formatMoney) };
}

function toPolicyTerms({ intent, format, prefer, inDoubt, rules }: Policy): PolicyTerms {
  return { intent, format, prefer, inDoubt, rules: rules.map(toRuleTerms) };
}

function toRuleTerms({ effect, conditions, value }: Rule): RuleTerms {
  return { [effect]: { ...toConditionTerms(conditions), ...given("value", value, Number) } };
}

function toConditionTerms(conditions: Conditions): Readonly<Record<string, unknown>> {
  const { maxPrice, minPrice, modifiedWithinMs, ...written } = conditions;
  return {
    ...Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null)),
    ...given("maxPrice", maxPrice, (price: Money) => formatMoney(price)),
    ...given("minPrice", minPrice, (price: Money) => formatMoney(price)),
    ...given("modifiedWithin", modifiedWithinMs, formatDuration),
  };
}

function toSiteTerms({ policy, include, exclude, refresh, reporting }: SiteConfig): PlannedSiteTerms {
  return {
    policy: policy.name,
    include: [...include],
    exclude: [...exclude],
    refresh: {
      when: refresh.when,
      ...given("maxAge", refresh.maxAgeMs, formatDuration),
      ...given("minAge", refresh.minAgeMs ?? null, formatDuration),
    },
    reporting: { kinds: [...reporting.kinds], billed: [...reporting.billed] },
  };
}

function given<Name extends string, Value, Written>(
  name: Name,
  value: Value | null,
  write: (value: Value) => Written,
): { readonly [Key in Name]?: Written } {
  return (value === null ? {} : { [name]: write(value) }) as { readonly [Key in Name]?: Written };
}
