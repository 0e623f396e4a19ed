/**
 * What a plan counts. Each batch is decided by the limits that the ledger applies (budget/limits.ts), against the real balances and what
 * the plan has counted so far, and its consequences for the other sites are those of a run.
 */
import type { Balance, Budget } from "../../budget/budget.ts";
import {
  type BalanceKeyInCurrency,
  coveringBudgets,
  createBalanceReader,
  nameRow,
} from "../../budget/covering-budgets.ts";
import { createRunLimits, type RunLimits } from "../../budget/limits.ts";
import { balanceKeys, type Movement } from "../../budget/scope.ts";
import { createSiteLimits, type SiteLimits } from "../../budget/site-limits.ts";
import type { BlockReason, FrontierPage, PageDecision } from "../../ledger/frontier-ledger.ts";
import type { RunSpec } from "../../ledger/run-ledger.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency, Money } from "../../money/money.ts";
import type { DenialReason } from "../../policy/verdict.ts";
import type { StageDeps } from "../stage-deps.ts";
import { createPlanStops } from "./plan-stops.ts";
import { type PlannedPage, toPlannedPage } from "./planned-pages.ts";

export interface PlannedSite {
  readonly host: string;
  quoted: number;
  approved: number;
  denied: number;
  /** The denied pages by reason. */
  readonly denials: DenialCounts;
}

export type DenialCounts = Partial<Record<DenialReason, number>>;

export interface PlannedSpend {
  readonly budget: Budget;
  /** As it was when the plan began. */
  readonly balance: Balance;
  plannedMicros: Micros;
  exhausted: boolean;
}

/** What a run would buy. The counts of the walk are in the ledger's summary of the plan's run. */
export interface Planned {
  readonly sites: ReadonlyMap<string, PlannedSite>;
  readonly denials: Readonly<DenialCounts>;
  readonly cost: ReadonlyMap<Currency, PlannedCost>;
  /** What every page that the policy allows would cost, also the pages that a limit left out. */
  readonly costWithoutLimits: ReadonlyMap<Currency, PlannedCost>;
  /** The first pages that would be bought. */
  readonly pages: readonly PlannedPage[];
  readonly budgets: readonly PlannedSpend[];
}

/** What pages of one currency would set aside. */
export interface PlannedCost {
  readonly micros: Micros;
  readonly pages: number;
}

/** The limits that a run of the same sites would have. `runId` names a run of kind `plan` that exists in the ledger. */
export interface PlanRequest extends Pick<RunSpec, "runId" | "sites" | "maxPages" | "maxSpend"> {
  /** The most pages that the plan names. */
  readonly maxNamed: number;
  /** Gets every page that would be bought, in the order in which a run would buy. The plan goes on when the promise resolves. */
  readonly onPages?: (pages: readonly PlannedPage[]) => Promise<void>;
}

/** What the ledger says of the configured budgets (`readBalances`). */
type ReadBudgets = readonly { readonly budget: Budget; readonly balance: Balance }[];

export interface DecidedBatch {
  readonly host: string;
  readonly policyName: string;
  /** In the order of `pages`. */
  readonly decisions: readonly PageDecision[];
  readonly pages: readonly Pick<FrontierPage, "url">[];
  /** Pages that could not be bought whatever the policy says, with why. */
  readonly blocked: ReadonlyMap<number, BlockReason>;
  /** Read for this batch. Without them, what was read last counts. */
  readonly balances?: ReadBudgets;
  readonly now: number;
}

export interface PlanCounters {
  readonly planned: Planned;
  /**
   * @param limits of candidates from the best down. Without it, the batch is one of a site in the order of its catalog
   * @returns the pages that would be bought, in order
   */
  count(batch: DecidedBatch, limits?: RunLimits): readonly PlannedPage[];
  /** The limits of candidates from the best down: what is left now. */
  openLimits(now: number): RunLimits;
  /** Notes what the candidates have used up, when all are counted. */
  close(limits: RunLimits): void;
}

export function createPlanCounters(
  request: PlanRequest,
  deps: Pick<StageDeps, "sites" | "budgets">,
  { balances, at: balancesAt }: { readonly balances: ReadBudgets; readonly at: number },
): PlanCounters {
  const { runId, maxSpend } = request;
  const { budgets } = deps;
  const sites = createPlannedSites(request);
  const denials: DenialCounts = {};
  const cost = new Map<Currency, PlannedCost>();
  const costWithoutLimits = new Map<Currency, PlannedCost>();
  const named: PlannedPage[] = [];
  const spends = balances.map((read): PlannedSpend => ({ ...read, plannedMicros: ZERO_MICROS, exhausted: false }));
  const book = createPlanBook();
  book.rebase({ balances, now: balancesAt }, runId);
  const hosts = request.sites.map(({ host }) => host);
  const stops = createPlanStops(hosts, maxSpend, deps, (budget) => {
    for (const spend of spends.filter((one) => one.budget === budget)) {
      spend.exhausted = true;
    }
  });

  const open = createLimitOpener(request, { budgets, book, sites });
  /** Counts what an approved page sets aside, in every balance that it would move. */
  function setAside(money: Money, movement: Movement): void {
    addCost(cost, money);
    book.add(money, movement);
    const covering = coveringBudgets(budgets, movement, money.currency).map(({ budget }) => budget);
    for (const spend of spends.filter(({ budget }) => covering.includes(budget))) {
      spend.plannedMicros = addMicros(spend.plannedMicros, money.micros);
    }
  }

  /** Why an allowed page is not bought; null when it is. */
  function findObstacle(
    pageId: number,
    { blocked }: DecidedBatch,
    take: (money: Money | null) => DenialReason | null,
    money: Money | null,
  ) {
    const block = blocked.get(pageId);
    if (block !== undefined) {
      return block;
    }
    if (money !== null) {
      addCost(costWithoutLimits, money);
    }
    return take(money);
  }

  const deny = (site: PlannedSite, reason: DenialReason) => countDenial([denials, site.denials], site, reason);

  return {
    planned: { sites, denials, cost, costWithoutLimits, budgets: spends, pages: named },
    openLimits: open.run,
    close(limits) {
      for (const host of hosts) {
        stops.note(host, { spent: () => limits.spent(host), reached: () => limits.reached(host) });
      }
    },
    count(batch, limits) {
      const { host, policyName, decisions, pages, now } = batch;
      const site = sites.get(host);
      const bought: PlannedPage[] = [];
      if (site === undefined) {
        return bought;
      }
      if (batch.balances !== undefined) {
        book.rebase({ balances: batch.balances, now }, runId);
      }
      const inCatalogOrder = limits === undefined ? open.site(host, now, stops.exhausted(host)) : null;
      const take = (money: Money | null) =>
        inCatalogOrder === null
          ? nameOf(limits?.take(host, money) ?? null)
          : (stops.of(host) ?? nameOf(inCatalogOrder.take(money)));
      for (const [index, { pageId, verdict }] of decisions.entries()) {
        site.quoted++;
        if (verdict.kind === "denied") {
          deny(site, verdict.reason);
          continue;
        }
        const money = verdict.price?.cost ?? null;
        const obstacle = findObstacle(pageId, batch, take, money);
        if (obstacle !== null) {
          deny(site, obstacle);
          continue;
        }
        site.approved++;
        bought.push(toPlannedPage({ url: pages[index]?.url ?? "", host, policyName, verdict }));
        if (money !== null) {
          setAside(money, { host, runId, at: now });
        }
      }
      if (inCatalogOrder !== null) {
        stops.note(host, inCatalogOrder);
      }
      named.push(...bought.slice(0, request.maxNamed - named.length));
      return bought;
    },
  };
}

/** The limits that a run would have, after what the plan has counted. */
function createLimitOpener(
  { runId, maxPages, maxSpend, sites: specs }: PlanRequest,
  {
    budgets,
    book,
    sites,
  }: {
    readonly budgets: readonly Budget[];
    readonly book: PlanBook;
    readonly sites: ReadonlyMap<string, PlannedSite>;
  },
) {
  const readLimits = (now: number) => {
    const approved = [...sites.values()].reduce((sum, one) => sum + one.approved, 0);
    const runPagesLeft = maxPages === null ? null : maxPages - approved;
    return { readBalance: book.read, budgets, runId, now, runPagesLeft, maxSpend };
  };
  const sitePagesLeft = (host: string): number | null => {
    const most = specs.find((one) => one.host === host)?.maxPages ?? null;
    return most === null ? null : most - (sites.get(host)?.approved ?? 0);
  };
  return {
    site: (host: string, now: number, exhausted: ReadonlyMap<Currency, string>): SiteLimits =>
      createSiteLimits({ ...readLimits(now), host, sitePagesLeft: sitePagesLeft(host), exhausted }),
    run: (now: number): RunLimits =>
      createRunLimits({
        ...readLimits(now),
        readSite: (host) => ({ pagesLeft: sitePagesLeft(host), exhausted: new Map() }),
        passesOver: true,
      }),
  };
}

function createPlannedSites({ sites }: PlanRequest): ReadonlyMap<string, PlannedSite> {
  return new Map(sites.map(({ host }) => [host, { host, quoted: 0, approved: 0, denied: 0, denials: {} }]));
}

function addCost(costs: Map<Currency, PlannedCost>, { micros, currency }: Money): void {
  const known = costs.get(currency) ?? { micros: ZERO_MICROS, pages: 0 };
  costs.set(currency, { micros: addMicros(known.micros, micros), pages: known.pages + 1 });
}

function countDenial(all: readonly DenialCounts[], site: PlannedSite, reason: DenialReason): void {
  site.denied++;
  for (const counts of all) {
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
}

function nameOf(refusal: ReturnType<SiteLimits["take"]>): DenialReason | null {
  return refusal === null || typeof refusal === "string" ? refusal : refusal.reason;
}

interface PlanBook {
  /** Takes over what the ledger says now. */
  rebase(read: { readonly balances: ReadBudgets; readonly now: number }, runId: string): void;
  /** What counts in the ledger, and what the plan has set aside. */
  read(key: BalanceKeyInCurrency): Balance;
  add(money: Money, movement: Movement): void;
}

function createPlanBook(): PlanBook {
  let actual = createBalanceReader([], { runId: "", at: 0 });
  const planned = new Map<string, Micros>();
  return {
    rebase({ balances, now }, runId) {
      actual = createBalanceReader(balances, { runId, at: now });
    },
    read(key) {
      const balance = actual(key);
      const reservedMicros = addMicros(balance.reservedMicros, planned.get(nameRow(key)) ?? ZERO_MICROS);
      return { ...balance, reservedMicros };
    },
    add({ micros, currency }, movement) {
      for (const key of balanceKeys(movement)) {
        const row = nameRow({ ...key, currency });
        planned.set(row, addMicros(planned.get(row) ?? ZERO_MICROS, micros));
      }
    },
  };
}
