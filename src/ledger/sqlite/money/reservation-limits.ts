/**
 * What bounds the reservations of one decide call: the budgets that cover the host, the run's maxSpend, and the page limits. Balances are
 * read once per call, in the transaction that reserves, and counted down as pages are reserved (promise 1).
 */
import type { Budget } from "../../../budget/budget.ts";
import { headroom } from "../../../budget/headroom.ts";
import { budgetBalanceKey, scopeKey } from "../../../budget/scope.ts";
import { type Micros, subtractMicros, toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { BalanceBook } from "./balance-book.ts";

/** A limit that a page did not fit. */
export interface ReachedLimit {
  readonly reason: Extract<DenialReason, "budget_exhausted" | "max_pages" | "max_spend">;
  /** For people: which limit. */
  readonly label: string;
  /** Whether it ends buying on the site alone or in the whole run. */
  readonly covers: "site" | "run";
  /** A budget covers the pages of its currency alone; null: the limit ends all buying. */
  readonly currency: Currency | null;
}

export interface ReservationLimits {
  /**
   * Counts a page in when it fits everything; the n-th page that makes a sum exactly its limit still fits.
   * @param currency null for indexing, which costs nothing
   */
  take(amount: Micros, currency: Currency | null): "taken" | "no_budget_in_currency" | ReachedLimit;
}

export interface LimitContext {
  readonly balances: BalanceBook;
  readonly budgets: readonly Budget[];
  readonly host: string;
  /** The run's name. */
  readonly runId: string;
  readonly now: number;
  readonly runPagesLeft: number | null;
  readonly sitePagesLeft: number | null;
  readonly maxSpend: { readonly micros: Micros; readonly currency: Currency } | null;
}

interface MoneyLimit extends ReachedLimit {
  left: Micros;
}

export function createReservationLimits(context: LimitContext): ReservationLimits {
  const { maxSpend } = context;
  let runPagesLeft = context.runPagesLeft ?? Number.POSITIVE_INFINITY;
  let sitePagesLeft = context.sitePagesLeft ?? Number.POSITIVE_INFINITY;
  const moneyLimits = new Map<Currency, MoneyLimit[]>();

  function limitsIn(currency: Currency): MoneyLimit[] {
    let limits = moneyLimits.get(currency);
    if (limits === undefined) {
      limits = readMoneyLimits(context, currency);
      moneyLimits.set(currency, limits);
    }
    return limits;
  }

  function findReached(amount: Micros, limits: readonly MoneyLimit[]): ReachedLimit | undefined {
    if (runPagesLeft < 1) {
      return { reason: "max_pages", label: "the run's maxPages", covers: "run", currency: null };
    }
    if (sitePagesLeft < 1) {
      return { reason: "max_pages", label: `maxPages of ${context.host}`, covers: "site", currency: null };
    }
    return limits.find(({ left }) => amount > left);
  }

  return {
    take(amount, currency) {
      const limits = currency === null ? [] : limitsIn(currency);
      const isCovered =
        currency === null || (limits.length > 0 && (maxSpend === null || maxSpend.currency === currency));
      if (!isCovered) {
        return "no_budget_in_currency";
      }
      const reached = findReached(amount, limits);
      if (reached !== undefined) {
        const { reason, label, covers, currency: limited } = reached;
        return { reason, label, covers, currency: limited };
      }
      runPagesLeft -= 1;
      sitePagesLeft -= 1;
      for (const limit of limits) {
        limit.left = subtractMicros(limit.left, amount);
      }
      return "taken";
    },
  };
}

function readMoneyLimits(
  { balances, budgets, host, runId, now, maxSpend }: LimitContext,
  currency: Currency,
): MoneyLimit[] {
  const limits: MoneyLimit[] = [];
  for (const budget of budgets) {
    const key = budget.currency === currency ? budgetBalanceKey(budget, { host, runId, at: now }) : null;
    if (key !== null) {
      limits.push({
        reason: "budget_exhausted",
        label: `budget ${scopeKey(budget.scope)} per ${budget.period} in ${currency}`,
        covers: budget.scope.kind === "site" ? "site" : "run",
        currency,
        left: headroom(budget, balances.read({ ...key, currency })),
      });
    }
  }
  if (maxSpend !== null && maxSpend.currency === currency) {
    const spent = balances.read({ scope: `run:${runId}`, period: "total", currency });
    const left = maxSpend.micros - spent.settledMicros - spent.inDoubtMicros - spent.reservedMicros;
    limits.push({
      reason: "max_spend",
      label: `the run's maxSpend in ${currency}`,
      covers: "run",
      currency: null,
      left: toMicros(left),
    });
  }
  return limits;
}
