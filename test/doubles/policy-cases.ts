/** Policies, pages and rates for tests. Every field has a neutral default. */
import { toMicros } from "../../src/money/micros.ts";
import { type CompiledPolicy, compilePolicy } from "../../src/policy/match-rule.ts";
import type { Conditions, Policy, Rule } from "../../src/policy/rule.ts";
import type { LicenseType } from "../../src/rates/license.ts";
import type { Rate, RateListing } from "../../src/rates/rate.ts";

export const NOW = Date.parse("2026-11-20T12:00:00Z");
export const DAY_MS = 86_400_000;
export const PAGE = { path: "/news/story", lastModAt: NOW - DAY_MS };

const UNSET: Conditions = {
  license: null,
  cuid: null,
  permissions: null,
  lacks: null,
  maxPrice: null,
  minPrice: null,
  currency: null,
  urls: null,
  modifiedWithinMs: null,
};

export const allow = (conditions: Partial<Conditions> = {}): Rule => ({
  effect: "allow",
  conditions: { ...UNSET, ...conditions },
  value: null,
});

export const deny = (conditions: Partial<Conditions> = {}): Rule => ({ ...allow(conditions), effect: "deny" });

export const toPolicy = (rules: readonly Rule[], change: Partial<Policy> = {}): Policy => ({
  name: "standard",
  intent: "content",
  format: "markdown",
  prefer: "cheapest",
  inDoubt: "hold",
  retentionMs: null,
  onExpiry: "keep",
  rules,
  ...change,
});

export const usd = (micros: number) => ({ micros: toMicros(micros), currency: "USD" });
export const eur = (micros: number) => ({ micros: toMicros(micros), currency: "EUR" });

export const policy = (rules: readonly Rule[], change: Partial<Policy> = {}): CompiledPolicy =>
  compilePolicy(toPolicy(rules, change));

export function rate(
  price: Rate["price"],
  license: Partial<Rate["license"]> & { licenseType?: LicenseType } = {},
  change: Partial<Rate> = {},
): Rate {
  return {
    license: { licenseType: "ON_DEMAND_LICENSE", cuid: null, licensePath: null, permissions: [], ...license },
    price,
    error: null,
    validUntilAt: null,
    ...change,
  };
}

export const full = (price: Rate["price"], permissions: readonly string[] | null = ["FULL_USE", "PARTIAL_USE"]) =>
  rate(price, { licenseType: "ON_DEMAND_FULL_USE_LICENSE", permissions });

export const listing = (...rates: Rate[]): RateListing => ({ rates, unreadable: [] });
