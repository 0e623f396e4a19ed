/**
 * Balance rows: one per scope, period and currency. Budgets are checked against them. A movement of money changes every row that
 * a budget might read, whether or not such a budget is configured today. A budget that is added later is then right from its
 * start.
 */
import type { Currency } from "../money/money.ts";
import { periodKey } from "../time/period.ts";
import { BUDGET_PERIODS, type Budget, type BudgetScope } from "./budget.ts";

/** Names one balance row, together with a currency. */
export interface BalanceKey {
  /** `all`, `site:<host>` or `run:<runId>` */
  readonly scope: string;
  /** `day:2026-11-20`, `week:2026-W47`, `month:2026-11` or `total` */
  readonly period: string;
}

/** Where and when money moves. */
export interface MovementPlace {
  readonly host: string;
  /** Null for a movement without a run, such as a use recorded by hand. */
  readonly runId: string | null;
  /** epoch ms */
  readonly at: number;
}

/** The scope as written in the configuration: `all`, `site:<host>` or `run`. */
export function scopeKey(scope: BudgetScope): string {
  return scope.kind === "site" ? `site:${scope.host}` : scope.kind;
}

/** Whether two objects are the same budget: one that comes out of the ledger again is another object. */
export function isSameBudget(a: Budget, b: Budget): boolean {
  return (
    scopeKey(a.scope) === scopeKey(b.scope) &&
    a.period === b.period &&
    a.currency === b.currency &&
    a.limitMicros === b.limitMicros
  );
}

/** The balance rows that a movement changes: nine, or eight without a run. */
export function balanceKeys(place: MovementPlace): BalanceKey[] {
  const keys: BalanceKey[] = [];
  for (const period of BUDGET_PERIODS) {
    const key = periodKey(period, place.at);
    keys.push({ scope: "all", period: key }, { scope: `site:${place.host}`, period: key });
  }
  if (place.runId !== null) {
    keys.push({ scope: `run:${place.runId}`, period: "total" });
  }
  return keys;
}

/** The one balance row that a budget reads for a movement; null when the budget does not cover it. */
export function budgetBalanceKey(budget: Budget, place: MovementPlace): BalanceKey | null {
  const { scope, period } = budget;
  switch (scope.kind) {
    case "all":
      return { scope: "all", period: periodKey(period, place.at) };
    case "site":
      return scope.host === place.host ? { scope: `site:${scope.host}`, period: periodKey(period, place.at) } : null;
    case "run":
      return place.runId === null ? null : { scope: `run:${place.runId}`, period: "total" };
    default:
      return scope satisfies never;
  }
}

/**
 * The currencies of the budgets that cover a site, in the order of the budgets. Pages priced in any other currency are not
 * bought.
 */
export function budgetedCurrencies(budgets: readonly Budget[], host: string): ReadonlySet<Currency> {
  const covering = budgets.filter(({ scope }) => scope.kind !== "site" || scope.host === host);
  return new Set(covering.map(({ currency }) => currency));
}
