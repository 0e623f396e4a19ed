/**
 * What bounds the buying of a run: the budgets that cover a site, the run's maxSpend, and the page limits. The ledger asks inside the
 * transaction that reserves (promise 1), a plan asks of what it has counted so far: both through a function that reads balances, so that
 * they decide alike.
 */
import { type Micros, subtractMicros, toMicros, ZERO_MICROS } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";
import type { Balance, Budget } from "./budget.ts";
import { type BalanceKeyInCurrency, coveringBudgets } from "./covering-budgets.ts";
import { headroom } from "./headroom.ts";
import { scopeKey } from "./scope.ts";

export type LimitReason = "budget_exhausted" | "max_pages" | "max_spend";

/**
 * What becomes of a page that a limit has no room for.
 * - `end_buying`, for pages in the order of the catalog: it is denied. After the first page that does not fit a budget nothing more fits in its
 *   currency, free pages included; after the first that does not fit another limit, nothing at all.
 * - `keep`, for pages from the best down: it is neither denied nor counted, because money may come back. What comes behind it is tried.
 * - `deny`, for the same pages when no money comes back any more: it is denied, and its budgets count as used up. What comes behind it is tried.
 */
export type NoRoomPolicy = "end_buying" | "keep" | "deny";

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
  readonly runId: string;
  readonly now: number;
  /** null: no limit. */
  readonly runPagesLeft: number | null;
  readonly maxSpend: Money | null;
  /** Asked once for each site. */
  readSite(host: string): SiteLimitContext;
  readonly noRoom: NoRoomPolicy;
}

export interface SiteLimitContext {
  /** null: no limit. */
  readonly pagesLeft: number | null;
  /** The currencies of which a budget of the site is used up already, with its label. */
  readonly exhausted: ReadonlyMap<Currency, string>;
  /** What has ended buying on the site before. @default nothing */
  readonly reached?: ReachedLimit | null;
}

/** What bounds the buying of a run. */
export interface BuyingLimits {
  /**
   * Counts a page in when it fits everything; the page that makes a sum exactly its limit still fits.
   * @param cost what it sets aside; null for indexing, which costs nothing
   * @returns null when it was counted in, or why not
   */
  take(host: string, cost: Money | null): "no_budget_in_currency" | ReachedLimit | null;
  /** What ended buying on the site in every currency. */
  reached(host: string): ReachedLimit | null;
  /** The budgets of the site that were found to be used up, in order, each once. */
  spent(host: string): readonly SpentBudget[];
  /** What a page of the currency may cost at most, whatever its site is; null when nothing bounds it. */
  room(currency: Currency): Micros | null;
  /** What bounds the pages of a site in a currency; null when nothing may be bought in it. */
  bounds(host: string, currency: Currency): SiteBounds | null;
}

/** Sites share the objects of the limits that cover them all. */
export interface MoneyBound {
  readonly left: Micros;
}

export interface SiteBounds {
  readonly money: readonly MoneyBound[];
  /** Infinity: no limit. */
  readonly sitePages: number;
  readonly runPages: number;
}

interface MoneyLimit extends ReachedLimit {
  /** null: the run's maxSpend. */
  readonly budget: Budget | null;
  left: Micros;
}

type Reached = Omit<MoneyLimit, "left">;

/** What one site has left, and which limits it has reached. */
interface SiteState {
  readonly exhausted: Map<Currency, string>;
  readonly spent: SpentBudget[];
  readonly money: Map<Currency, readonly MoneyLimit[]>;
  reached: ReachedLimit | null;
  pagesLeft: number;
}

export function createBuyingLimits(context: LimitContext): BuyingLimits {
  const sites = new Map<string, SiteState>();
  const readLimits = createMoneyLimitReader(context);
  let runPagesLeft = context.runPagesLeft ?? Number.POSITIVE_INFINITY;

  function siteOf(host: string): SiteState {
    let site = sites.get(host);
    if (site === undefined) {
      const { pagesLeft, exhausted, reached = null } = context.readSite(host);
      site = {
        exhausted: new Map(exhausted),
        spent: [],
        money: new Map(),
        reached,
        pagesLeft: pagesLeft ?? Number.POSITIVE_INFINITY,
      };
      sites.set(host, site);
    }
    return site;
  }

  function limitsIn(host: string, { money }: SiteState, currency: Currency): readonly MoneyLimit[] {
    let limits = money.get(currency);
    if (limits === undefined) {
      limits = readLimits(host, currency);
      money.set(currency, limits);
    }
    return limits;
  }

  function findReached(
    host: string,
    { pagesLeft }: SiteState,
    cost: Money | null,
    limits: readonly MoneyLimit[],
  ): Reached | undefined {
    if (runPagesLeft < 1) {
      return { reason: "max_pages", label: "the run's maxPages", covers: "run", currency: null, budget: null };
    }
    if (pagesLeft < 1) {
      return { reason: "max_pages", label: `maxPages of ${host}`, covers: "site", currency: null, budget: null };
    }
    return cost === null ? undefined : limits.find(({ left }) => cost.micros > left);
  }

  return {
    take(host, cost) {
      const site = siteOf(host);
      const ended = context.noRoom === "end_buying" ? findEnded(site, cost) : null;
      if (ended !== null) {
        return ended;
      }
      const limits = cost === null ? [] : limitsIn(host, site, cost.currency);
      if (cost !== null && !isCovered(context, cost.currency, limits)) {
        return "no_budget_in_currency";
      }
      const limit = findReached(host, site, cost, limits);
      if (limit !== undefined) {
        return note(site, limit);
      }
      runPagesLeft -= 1;
      site.pagesLeft -= 1;
      for (const one of cost === null ? [] : limits) {
        one.left = subtractMicros(one.left, cost?.micros ?? ZERO_MICROS);
      }
      return null;
    },
    reached: (host) => siteOf(host).reached,
    spent: (host) => siteOf(host).spent,
    room(currency) {
      const lefts = [...sites].flatMap(([host, site]) =>
        limitsIn(host, site, currency).filter(({ covers }) => covers === "run"),
      );
      return lefts.length === 0 ? null : toMicros(Math.max(0, Math.min(...lefts.map(({ left }) => left))));
    },
    bounds(host, currency) {
      const site = siteOf(host);
      const money = limitsIn(host, site, currency);
      return isCovered(context, currency, money) ? { money, sitePages: site.pagesLeft, runPages: runPagesLeft } : null;
    },
  };
}

/** What an earlier page of the site has ended. */
function findEnded({ reached, exhausted }: SiteState, cost: Money | null): ReachedLimit | null {
  const label = cost === null ? undefined : exhausted.get(cost.currency);
  return cost === null || label === undefined || reached !== null
    ? reached
    : { reason: "budget_exhausted", label, covers: "site", currency: cost.currency };
}

function note(site: SiteState, { reason, label, covers, currency, budget }: Reached): ReachedLimit {
  const limit = { reason, label, covers, currency };
  if (currency === null || budget === null) {
    site.reached ??= limit;
  } else if (!site.spent.some((one) => one.budget === budget)) {
    site.exhausted.set(currency, label);
    site.spent.push({ ...limit, currency, budget });
  }
  return limit;
}

/** Nothing is bought in a currency without a budget, or in another one than that of the run's maxSpend. */
function isCovered({ maxSpend }: LimitContext, currency: Currency, limits: readonly MoneyLimit[]): boolean {
  return limits.length > 0 && (maxSpend === null || maxSpend.currency === currency);
}

/** @returns a reader of the limits of a site in a currency. Sites share the limits that cover them all. */
function createMoneyLimitReader({
  readBalance,
  budgets,
  runId,
  now,
  maxSpend,
}: LimitContext): (host: string, currency: Currency) => MoneyLimit[] {
  const known = new Map<Budget | Money, MoneyLimit>();
  const keep = (of: Budget | Money, make: () => MoneyLimit) => {
    const limit = known.get(of) ?? make();
    known.set(of, limit);
    return limit;
  };
  return (host, currency) => {
    const limits = coveringBudgets(budgets, { host, runId, at: now }, currency).map(({ budget, key }) =>
      keep(budget, () => ({
        reason: "budget_exhausted",
        label: `budget ${scopeKey(budget.scope)} per ${budget.period} in ${currency}`,
        covers: budget.scope.kind === "site" ? "site" : "run",
        currency,
        budget,
        left: headroom(budget, readBalance(key)),
      })),
    );
    if (maxSpend !== null && maxSpend.currency === currency) {
      limits.push(keep(maxSpend, () => toMaxSpendLimit(maxSpend, runId, readBalance)));
    }
    return limits;
  };
}

function toMaxSpendLimit(
  { micros, currency }: Money,
  runId: string,
  readBalance: LimitContext["readBalance"],
): MoneyLimit {
  const spent = readBalance({ scope: `run:${runId}`, period: "total", currency });
  return {
    reason: "max_spend",
    label: `the run's maxSpend in ${currency}`,
    covers: "run",
    currency: null,
    budget: null,
    left: toMicros(micros - spent.spentMicros - spent.inDoubtMicros - spent.reservedMicros),
  };
}
