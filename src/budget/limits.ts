/**
 * What bounds the buying of a run: the budgets that cover a site, the run's maxSpend, and the page limits. The ledger asks inside the
 * transaction that reserves (promise 1), a plan asks of what it has counted so far: both through a function that reads balances, so that
 * they decide alike.
 */
import { type Micros, subtractMicros, toMicros, ZERO_MICROS } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";
import type { Balance, Budget } from "./budget.ts";
import { headroom } from "./headroom.ts";
import { type BalanceKey, budgetBalanceKey, budgetedCurrencies, type Movement, scopeKey } from "./scope.ts";

/** One balance row. */
export interface BalanceKeyInCurrency extends BalanceKey {
  readonly currency: Currency;
}

export type LimitReason = "budget_exhausted" | "max_pages" | "max_spend";

/** A limit that a page did not fit. */
export interface ReachedLimit {
  readonly reason: LimitReason;
  /** For people: which limit. */
  readonly label: string;
  /** Whether it ends buying on the site alone or in the whole run. */
  readonly covers: "site" | "run";
  /** A budget covers the pages of its currency alone; null: the limit ends all buying. */
  readonly currency: Currency | null;
}

/** A budget that a page of its currency did not fit. */
export interface SpentBudget extends ReachedLimit {
  readonly currency: Currency;
  readonly budget: Budget;
}

export interface LimitContext {
  /** What counts now. Read once for each limit, and counted down from there. */
  readBalance(key: BalanceKeyInCurrency): Balance;
  /** Every configured budget. */
  readonly budgets: readonly Budget[];
  readonly host: string;
  readonly runId: string;
  readonly now: number;
  /** null: no limit. */
  readonly runPagesLeft: number | null;
  readonly sitePagesLeft: number | null;
  readonly maxSpend: Money | null;
  /** The currencies of which a budget of the site is used up already, with its label. */
  readonly exhausted: ReadonlyMap<Currency, string>;
}

export interface SiteLimits {
  /**
   * Counts a page in when it fits everything; the page that makes a sum exactly its limit still fits. After the first page that does not
   * fit a budget nothing more fits in its currency, free pages included; after the first that does not fit another limit, nothing at all.
   * @param cost what it sets aside; null for indexing, which costs nothing
   * @returns null when it was counted in, or why not
   */
  take(cost: Money | null): "no_budget_in_currency" | ReachedLimit | null;
  /** What ended buying in every currency. */
  reached(): ReachedLimit | null;
  /** The budgets that were found to be used up, in order. */
  spent(): readonly SpentBudget[];
}

interface MoneyLimit extends ReachedLimit {
  /** null: the run's maxSpend. */
  readonly budget: Budget | null;
  left: Micros;
}

type Reached = Omit<MoneyLimit, "left">;

export function createSiteLimits(context: LimitContext): SiteLimits {
  const moneyLimits = new Map<Currency, MoneyLimit[]>();
  const exhausted = new Map(context.exhausted);
  const spent: SpentBudget[] = [];
  let reached: ReachedLimit | null = null;
  let runPagesLeft = context.runPagesLeft ?? Number.POSITIVE_INFINITY;
  let sitePagesLeft = context.sitePagesLeft ?? Number.POSITIVE_INFINITY;

  function limitsIn(currency: Currency): MoneyLimit[] {
    let limits = moneyLimits.get(currency);
    if (limits === undefined) {
      limits = readMoneyLimits(context, currency);
      moneyLimits.set(currency, limits);
    }
    return limits;
  }

  function findReached(cost: Money | null, limits: readonly MoneyLimit[]): Reached | undefined {
    if (runPagesLeft < 1) {
      return { reason: "max_pages", label: "the run's maxPages", covers: "run", currency: null, budget: null };
    }
    if (sitePagesLeft < 1) {
      return {
        reason: "max_pages",
        label: `maxPages of ${context.host}`,
        covers: "site",
        currency: null,
        budget: null,
      };
    }
    return cost === null ? undefined : limits.find(({ left }) => cost.micros > left);
  }

  function note({ reason, label, covers, currency, budget }: Reached): ReachedLimit {
    const limit = { reason, label, covers, currency };
    if (currency === null || budget === null) {
      reached = limit;
    } else {
      exhausted.set(currency, label);
      spent.push({ ...limit, currency, budget });
    }
    return limit;
  }

  return {
    take(cost) {
      if (reached !== null) {
        return reached;
      }
      const label = cost === null ? undefined : exhausted.get(cost.currency);
      if (cost !== null && label !== undefined) {
        return { reason: "budget_exhausted", label, covers: "site", currency: cost.currency };
      }
      const limits = cost === null ? [] : limitsIn(cost.currency);
      if (cost !== null && !isCovered(context, cost.currency, limits)) {
        return "no_budget_in_currency";
      }
      const limit = findReached(cost, limits);
      if (limit !== undefined) {
        return note(limit);
      }
      runPagesLeft -= 1;
      sitePagesLeft -= 1;
      for (const one of cost === null ? [] : limits) {
        one.left = subtractMicros(one.left, cost?.micros ?? toMicros(0));
      }
      return null;
    },
    reached: () => reached,
    spent: () => spent,
  };
}

/** Nothing is bought in a currency without a budget, or in another one than that of the run's maxSpend. */
function isCovered({ maxSpend }: LimitContext, currency: Currency, limits: readonly MoneyLimit[]): boolean {
  return limits.length > 0 && (maxSpend === null || maxSpend.currency === currency);
}

function readMoneyLimits(
  { readBalance, budgets, host, runId, now, maxSpend }: LimitContext,
  currency: Currency,
): MoneyLimit[] {
  const movement = { host, runId, at: now };
  const limits = coveringBudgets(budgets, movement, currency).map(({ budget, key }): MoneyLimit => {
    const { scope, period } = budget;
    return {
      reason: "budget_exhausted",
      label: `budget ${scopeKey(scope)} per ${period} in ${currency}`,
      covers: scope.kind === "site" ? "site" : "run",
      currency,
      budget,
      left: headroom(budget, readBalance(key)),
    };
  });
  if (maxSpend !== null && maxSpend.currency === currency) {
    const spent = readBalance({ scope: `run:${runId}`, period: "total", currency });
    const left = toMicros(maxSpend.micros - spent.settledMicros - spent.inDoubtMicros - spent.reservedMicros);
    limits.push({
      reason: "max_spend",
      label: `the run's maxSpend in ${currency}`,
      covers: "run",
      currency: null,
      budget: null,
      left,
    });
  }
  return limits;
}

/**
 * Looks balances up by their row, in what was read budget by budget. A row of which no budget was read counts nothing.
 * @param runId of the run whose limits are asked for
 */
export function createBalanceReader(
  read: readonly { readonly budget: Budget; readonly balance: Balance }[],
  { runId, at }: Pick<Movement, "at"> & { readonly runId: string },
): LimitContext["readBalance"] {
  const rows = new Map<string, Balance>();
  for (const { budget, balance } of read) {
    const host = budget.scope.kind === "site" ? budget.scope.host : "";
    for (const { key } of coveringBudgets([budget], { host, runId, at }, budget.currency)) {
      rows.set(nameRow(key), balance);
    }
  }
  return (key) => rows.get(nameRow(key)) ?? NOTHING;
}

/** A text for each balance row. */
export function nameRow({ scope, period, currency }: BalanceKeyInCurrency): string {
  return `${scope} ${period} ${currency}`;
}

const NOTHING: Balance = { settledMicros: ZERO_MICROS, inDoubtMicros: ZERO_MICROS, reservedMicros: ZERO_MICROS };

/** Whether a cost fits one budget. Of another currency, it does not. */
export function fitsBudget(budget: Budget, balance: Balance, cost: Money): boolean {
  return cost.currency === budget.currency && cost.micros <= headroom(budget, balance);
}

/** The budgets of a currency that cover a movement of money, each with the balance row that it is checked against. */
export function coveringBudgets(
  budgets: readonly Budget[],
  movement: Movement,
  currency: Currency,
): readonly { readonly budget: Budget; readonly key: BalanceKeyInCurrency }[] {
  return budgets.flatMap((budget) => {
    const key = budget.currency === currency ? budgetBalanceKey(budget, movement) : null;
    return key === null ? [] : [{ budget, key: { ...key, currency } }];
  });
}

/**
 * Whether nothing more can be bought on a site: a budget is used up in each currency that it can be bought in.
 * @param onlyCurrency that of the run's maxSpend; null: those of the budgets
 */
export function isSpentOut(
  exhausted: ReadonlyMap<Currency, string>,
  site: { readonly budgets: readonly Budget[]; readonly host: string; readonly onlyCurrency: Currency | null },
): boolean {
  const { budgets, host, onlyCurrency } = site;
  const currencies = onlyCurrency === null ? [...budgetedCurrencies(budgets, host)] : [onlyCurrency];
  return currencies.every((currency) => exhausted.has(currency));
}
