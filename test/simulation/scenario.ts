/** What a seed draws of the world before it begins: plain data for the model gateway, the checkers and the driver. */

import type { GatewayTraits } from "./gateway/traits.ts";
import type { FleetPlan } from "./workers/draw-fleet.ts";
import type { Mistake } from "./wrong-settings.ts";

export interface ScenarioRate {
  readonly licenseType: "ON_DEMAND_LICENSE" | "ON_DEMAND_FULL_USE_LICENSE" | "CUSTOM_LICENSE";
  /** Of every license; CUSTOM_LICENSE needs it on the wire. */
  readonly cuid: string;
  readonly permissions: readonly string[];
  /** The gateway leaves them out: what the license permits is not known. */
  readonly hidesPermissions?: boolean;
  readonly micros: number;
  readonly currency: string;
}

export interface ScenarioPage {
  /** Canonical already: the URL on the wire and the URL in the ledger are the same text. */
  readonly url: string;
  /** ISO 8601, or null */
  readonly lastMod: string | null;
  readonly rates: readonly ScenarioRate[];
}

/** One line of a policy; all conditions must hold, the first rule that matches a rate decides it. */
export interface ScenarioRule {
  readonly verdict: "allow" | "deny";
  readonly license: ScenarioRate["licenseType"] | null;
  /** Rates above this price, or in another currency, do not match. */
  readonly maxPrice: { readonly micros: number; readonly currency: string } | null;
  /** The rate must have this permission. */
  readonly permission: string | null;
  /** Globs on the path; left out: any. */
  readonly urls?: readonly string[];
}

export interface ScenarioPolicy {
  readonly intent: "content" | "indexing";
  readonly format: "markdown" | "html" | "both";
  readonly prefer: "cheapest" | "most-permissive";
  readonly inDoubt: "hold" | "rebuy";
  /** Left out: content is kept for ever. */
  readonly retention?: string;
  readonly onExpiry?: "purge" | "relicense";
  readonly rules: readonly ScenarioRule[];
}

export interface ScenarioSite {
  readonly host: string;
  readonly policy: ScenarioPolicy;
  /** `refresh.when` */
  readonly refresh: "modified" | "always" | "never";
  readonly pages: readonly ScenarioPage[];
  /** `maxPages` of a run on this site; left out: no limit. */
  readonly maxPages?: number | undefined;
  /** Globs on the path; left out: none. */
  readonly exclude?: readonly string[];
  /** Left out: no slots. */
  readonly schedule?: string;
  /** `refresh.fullWalkEvery` and `refresh.overlap`; left out: every walk is a full one. */
  readonly walk?: { readonly fullEveryMs: number; readonly overlapMs: number } | undefined;
}

export interface ScenarioBudget {
  /** `all`, `run` or `site:<host>` */
  readonly scope: string;
  /** null for `run` and for budgets without a period. */
  readonly per: "day" | "week" | "month" | "total" | null;
  readonly limitMicros: number;
  readonly currency: string;
}

/** What the gateway adds to each rate: a share in millionths, and an amount on rates in its currency. */
export interface ScenarioFee {
  readonly ppm: number;
  readonly fixed: { readonly micros: number; readonly currency: string } | null;
}

/** What a configuration says: at the beginning of a world, and after each edit. */
export interface Settings {
  /** Policies that no site of it has, by name. Left out: none. */
  readonly otherPolicies?: Readonly<Record<string, ScenarioPolicy>>;
  /** Those that are configured; a page of any other one is not bought. */
  readonly sites: readonly ScenarioSite[];
  readonly budgets: readonly ScenarioBudget[];
  readonly fee: ScenarioFee | null;
  /** What is wrong with it; null when nothing is. */
  readonly mistake: Mistake | null;
  /** `reporting.kinds` and `reporting.billed` */
  readonly reportedKinds: readonly ("fetch" | "use")[];
  readonly billedKinds: readonly ("fetch" | "use")[];
  /** `run.order` */
  readonly order: "catalog" | "newest" | "cheapest" | "value";
}

export function settingsOf({ sites, budgets, fee, mistake, reportedKinds, billedKinds, order }: Settings): Settings {
  return { sites, budgets, fee, mistake, reportedKinds, billedKinds, order };
}

export interface Scenario extends Settings {
  readonly seed: number;
  /** Epoch ms; often a little before a UTC midnight, a Monday or the first of a month. */
  readonly startAt: number;
  /** What the gateway is like, beyond what it publishes. */
  readonly gateway: GatewayTraits;
  /** Whether half of the rates are in euros, or few. */
  readonly currencies: "one" | "several";
  readonly reportBatchSize: number;
  readonly quoteBatchSize: number;
  readonly catalogPageSize: number;
  /** What the gateway allows to a service and its workers together. Left out: there are no workers. */
  readonly limits?: FleetPlan["limits"];
}
