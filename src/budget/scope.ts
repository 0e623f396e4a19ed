/**
 * Budgets are checked against balance rows, one per scope and period (and currency). A movement of money touches every
 * row that a budget might read, whether or not such a budget is configured today: a budget added tomorrow then starts from
 * the truth.
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
export interface Movement {
  readonly host: string;
  /** null for what belongs to no run, such as a use recorded by hand. */
  readonly runId: string | null;
  /** epoch ms */
  readonly at: number;
}

/** The scope as written in the configuration: `all`, `site:<host>` or `run`. */
export function scopeKey(scope: BudgetScope): string {
  return scope.kind === "site" ? `site:${scope.host}` : scope.kind;
}

/** The nine balance rows (eight without a run) that a movement touches. */
export function balanceKeys(movement: Movement): BalanceKey[] {
  const keys: BalanceKey[] = [];
  for (const period of BUDGET_PERIODS) {
    const key = periodKey(period, movement.at);
    keys.push({ scope: "all", period: key }, { scope: `site:${movement.host}`, period: key });
  }
  if (movement.runId !== null) {
    keys.push({ scope: `run:${movement.runId}`, period: "total" });
  }
  return keys;
}

/** The one balance row that a budget reads for a movement; null when the budget does not cover it. */
export function budgetBalanceKey(budget: Budget, movement: Movement): BalanceKey | null {
  const { scope, period } = budget;
  switch (scope.kind) {
    case "all":
      return { scope: "all", period: periodKey(period, movement.at) };
    case "site":
      return scope.host === movement.host
        ? { scope: `site:${scope.host}`, period: periodKey(period, movement.at) }
        : null;
    case "run":
      return movement.runId === null ? null : { scope: `run:${movement.runId}`, period: "total" };
    default:
      return scope satisfies never;
  }
}

/** The currencies of the budgets that can cover a site, in the order of the budgets. Nothing is bought in any other. */
export function budgetedCurrencies(budgets: readonly Budget[], host: string): ReadonlySet<Currency> {
  const covering = budgets.filter(({ scope }) => scope.kind !== "site" || scope.host === host);
  return new Set(covering.map(({ currency }) => currency));
}
