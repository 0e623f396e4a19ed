/**
 * What a plan counts. Each batch is decided by the limits that the ledger applies (budget/limits.ts), against the real balances and what
 * the plan has counted so far, and its consequences for the other sites are those of a run.
 */
import type { Balance, Budget } from "../budget/budget.ts";
import {
  type BalanceKeyInCurrency,
  coveringBudgets,
  createSiteLimits,
  isSpentOut,
  type LimitReason,
  type SiteLimits,
} from "../budget/limits.ts";
import { balanceKeys, type Movement } from "../budget/scope.ts";
import { costOf } from "../budget/set-aside.ts";
import type { BlockReason, PageDecision } from "../ledger/frontier-ledger.ts";
import type { RunSpec } from "../ledger/run-ledger.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";
import type { DenialReason } from "../policy/verdict.ts";
import type { StageDeps } from "./stage-deps.ts";

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
  readonly cost: ReadonlyMap<Currency, { micros: Micros; pages: number }>;
  readonly budgets: readonly PlannedSpend[];
}

/** The limits that a run of the same sites would have. `runId` names a run of kind `plan` that exists in the ledger. */
export type PlanRequest = Pick<RunSpec, "runId" | "sites" | "maxPages" | "maxSpend">;

/** What the ledger says of the configured budgets (`readBalances`). */
type ReadBudgets = readonly { readonly budget: Budget; readonly balance: Balance }[];

export interface DecidedBatch {
  readonly host: string;
  readonly decisions: readonly PageDecision[];
  /** Pages that could not be bought whatever the policy says, with why. */
  readonly blocked: ReadonlyMap<number, BlockReason>;
  /** Read for this batch. */
  readonly balances: ReadBudgets;
  readonly now: number;
}

export interface PlanCounters {
  readonly planned: Planned;
  count(batch: DecidedBatch): void;
}

export function createPlanCounters(
  request: PlanRequest,
  { sites: settings, budgets }: Pick<StageDeps, "sites" | "budgets">,
  balances: ReadBudgets,
): PlanCounters {
  const { runId, maxSpend } = request;
  const sites = createPlannedSites(request);
  const denials: DenialCounts = {};
  const cost = new Map<Currency, { micros: Micros; pages: number }>();
  const spends = balances.map((read): PlannedSpend => ({ ...read, plannedMicros: ZERO_MICROS, exhausted: false }));
  const book = createPlanBook();
  /** Hosts that reached a limit. A run would buy no more pages there, not even free ones. */
  const stopped = new Map<string, LimitReason>();
  /** For each host, the currencies in which a budget is used up. */
  const exhausted = new Map(request.sites.map(({ host }) => [host, new Map<Currency, string>()]));

  function stop(host: string, reason: LimitReason): void {
    if (!stopped.has(host)) {
      stopped.set(host, reason);
    }
  }

  function openLimits({ host, now }: DecidedBatch, site: PlannedSite): SiteLimits {
    const approved = [...sites.values()].reduce((sum, one) => sum + one.approved, 0);
    const maxSitePages = request.sites.find((one) => one.host === host)?.maxPages ?? null;
    return createSiteLimits({
      readBalance: book.read,
      budgets,
      host,
      runId,
      now,
      runPagesLeft: request.maxPages === null ? null : request.maxPages - approved,
      sitePagesLeft: maxSitePages === null ? null : maxSitePages - site.approved,
      maxSpend,
      exhausted: exhausted.get(host) ?? new Map(),
    });
  }

  /** Counts what an approved page sets aside, in every balance that it would move. */
  function setAside(money: Money, movement: Movement): void {
    const known = cost.get(money.currency) ?? { micros: ZERO_MICROS, pages: 0 };
    cost.set(money.currency, { micros: addMicros(known.micros, money.micros), pages: known.pages + 1 });
    book.add(money, movement);
    const covering = coveringBudgets(budgets, movement, money.currency).map(({ budget }) => budget);
    for (const spend of spends.filter(({ budget }) => covering.includes(budget))) {
      spend.plannedMicros = addMicros(spend.plannedMicros, money.micros);
    }
  }

  /** What a run would do about the limits that this batch reached. */
  function noteReached(host: string, limits: SiteLimits): void {
    for (const { budget, currency, label, covers } of limits.spent()) {
      for (const spend of spends.filter((one) => one.budget === budget)) {
        spend.exhausted = true;
      }
      for (const covered of covers === "run" ? sites.keys() : [host]) {
        const used = exhausted.get(covered)?.set(currency, label) ?? new Map();
        const isIndexed = settings.get(covered)?.policy.policy.intent === "indexing";
        if (!isIndexed && isSpentOut(used, { budgets, host: covered, onlyCurrency: maxSpend?.currency ?? null })) {
          stop(covered, "budget_exhausted");
        }
      }
    }
    const reached = limits.reached();
    for (const covered of reached === null ? [] : reached.covers === "run" ? sites.keys() : [host]) {
      stop(covered, reached?.reason ?? "max_pages");
    }
  }

  return {
    planned: { sites, denials, cost, budgets: spends },
    count(batch) {
      const { host, decisions, blocked, now } = batch;
      const site = sites.get(host);
      if (site === undefined) {
        return;
      }
      book.rebase(batch, runId);
      const limits = openLimits(batch, site);
      for (const { pageId, verdict } of decisions) {
        site.quoted++;
        const reason =
          verdict.kind === "denied"
            ? verdict.reason
            : (blocked.get(pageId) ?? stopped.get(host) ?? nameOf(limits.take(costOf(verdict))));
        if (reason !== null) {
          site.denied++;
          countDenial(denials, reason);
          countDenial(site.denials, reason);
          continue;
        }
        site.approved++;
        const money = verdict.kind === "denied" ? null : costOf(verdict);
        if (money !== null) {
          setAside(money, { host, runId, at: now });
        }
      }
      noteReached(host, limits);
    },
  };
}

function createPlannedSites({ sites }: PlanRequest): ReadonlyMap<string, PlannedSite> {
  return new Map(sites.map(({ host }) => [host, { host, quoted: 0, approved: 0, denied: 0, denials: {} }]));
}

function countDenial(counts: DenialCounts, reason: DenialReason): void {
  counts[reason] = (counts[reason] ?? 0) + 1;
}

function nameOf(refusal: ReturnType<SiteLimits["take"]>): DenialReason | null {
  return refusal === null || typeof refusal === "string" ? refusal : refusal.reason;
}

const NOTHING: Balance = { settledMicros: ZERO_MICROS, inDoubtMicros: ZERO_MICROS, reservedMicros: ZERO_MICROS };

interface PlanBook {
  /** Takes over what the ledger says now. */
  rebase(read: Pick<DecidedBatch, "balances" | "now">, runId: string): void;
  /** What counts in the ledger, and what the plan has set aside. */
  read(key: BalanceKeyInCurrency): Balance;
  add(money: Money, movement: Movement): void;
}

function createPlanBook(): PlanBook {
  const actual = new Map<string, Balance>();
  const planned = new Map<string, Micros>();
  const rowOf = ({ scope, period, currency }: BalanceKeyInCurrency) => `${scope} ${period} ${currency}`;
  return {
    rebase({ balances, now }, runId) {
      for (const { budget, balance } of balances) {
        const host = budget.scope.kind === "site" ? budget.scope.host : "";
        for (const { key } of coveringBudgets([budget], { host, runId, at: now }, budget.currency)) {
          actual.set(rowOf(key), balance);
        }
      }
    },
    read(key) {
      const balance = actual.get(rowOf(key)) ?? NOTHING;
      const reservedMicros = addMicros(balance.reservedMicros, planned.get(rowOf(key)) ?? ZERO_MICROS);
      return { ...balance, reservedMicros };
    },
    add({ micros, currency }, movement) {
      for (const key of balanceKeys(movement)) {
        const row = rowOf({ ...key, currency });
        planned.set(row, addMicros(planned.get(row) ?? ZERO_MICROS, micros));
      }
    },
  };
}
