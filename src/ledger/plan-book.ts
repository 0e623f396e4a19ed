/**
 * What a plan has set aside so far: a book that is thrown away. The pages of a run of kind `planning` are decided over it by the judge of every
 * run, beside all that counts in the ledger. Nothing of it is written: who makes the plan keeps the book, and sends it with each decision.
 */
import type { BalanceKeyInCurrency } from "../budget/covering-budgets.ts";
import type { ReachedLimit, SpentBudget } from "../budget/limits.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { PricedRate } from "../policy/price.ts";
import type { DenialReason } from "../policy/verdict.ts";

export interface PlanBook {
  /** By balance row, as reservations would count. */
  readonly setAside: readonly (BalanceKeyInCurrency & { readonly micros: Micros })[];
  /** Pages that would be bought, on all sites. */
  readonly approved: number;
  /** The sites of the decisions. */
  readonly sites: readonly PlanBookSite[];
}

export interface PlanBookSite {
  readonly host: string;
  readonly approved: number;
  /** The currencies of which a budget of the site is used up, with its label. */
  readonly exhausted: Readonly<Record<Currency, string>>;
  /** What ended buying on the site. Null: nothing has. */
  readonly reached: ReachedLimit | null;
}

/** A page that the policy allows, decided over the book of a plan. */
export interface PlannedDecision {
  readonly url: string;
  readonly host: string;
  readonly ruleIndex: number;
  readonly price: PricedRate | null;
  /** Why a run would not buy it. Null: it would. */
  readonly reason: DenialReason | null;
  /** What the list says of it. Null: nothing, or there is no list. */
  readonly value: number | null;
  readonly key: string | null;
}

/** What a decision over the book of a plan found. */
export interface PlanDecisions {
  /** In order. What no limit has room for is left out until the last round of candidates. */
  readonly pages: readonly PlannedDecision[];
  /** What the pages used up, by site. */
  readonly limits: readonly {
    readonly host: string;
    readonly reached: ReachedLimit | null;
    readonly spent: readonly SpentBudget[];
  }[];
}

/** What pages of one currency would set aside. */
export interface PlannedCost {
  readonly setAsideMicros: Micros;
  readonly pages: number;
}
