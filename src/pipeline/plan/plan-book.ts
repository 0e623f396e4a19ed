/**
 * The book of a plan: what a run would have reserved so far. It is kept in memory and thrown away with the plan. The ledger decides each page of a
 * plan over it, as it decides the pages of a run (`DecisionTerms.book`). The book notes what came of it, and counts it for the report.
 */
import type { Balance, Budget } from "../../budget/budget.ts";
import { coveringBudgets, nameRow } from "../../budget/covering-budgets.ts";
import { balanceKeys, isSameBudget } from "../../budget/scope.ts";
import { assertBug } from "../../errors.ts";
import type { PlanBook, PlannedCost, PlannedDecision } from "../../ledger/plan-book.ts";
import type { RunSpec } from "../../ledger/run-ledger.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency, Money } from "../../money/money.ts";
import { CLASS_OF_DENIAL } from "../../policy/denial-class.ts";
import type { DenialReason } from "../../policy/verdict.ts";
import type { OpenBook } from "../decide/open-book.ts";
import type { Intake } from "../lists/list-intake.ts";
import { siteOf } from "../site-of.ts";
import type { StageDeps } from "../stage-deps.ts";
import { createPlanEnds } from "./plan-ends.ts";
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

/** The limits that a run of the same sites would have. `runId` names a run of kind `planning` with these limits that exists in the ledger. */
export interface PlanRequest extends Pick<RunSpec, "runId" | "sites" | "maxPages" | "maxSpend"> {
  /** The one that works on the plan. */
  readonly process: string;
  /** The most pages that the plan names. */
  readonly maxNamed: number;
  /** The list that brings the pages, open at its first line. @default none: the catalogs are walked */
  readonly list?: Pick<Intake, "reader" | "digest"> | null;
  /** Gets every page that would be bought, in the order in which a run would buy. The plan goes on when the promise resolves. */
  readonly onPages?: (pages: readonly PlannedPage[]) => Promise<void>;
}

export interface CountedBook extends OpenBook {
  /** Pages of a site that would not be bought, also those that the policy denied. */
  countDenied(host: string, denied: Readonly<Record<string, number>>): void;
  readonly planned: Planned;
}

export function createPlanBook(
  request: PlanRequest,
  deps: Pick<StageDeps, "sites" | "budgets">,
  balances: readonly { readonly budget: Budget; readonly balance: Balance }[],
): CountedBook {
  const { runId, maxNamed, onPages } = request;
  const { budgets } = deps;
  const sites = new Map(
    request.sites.map(({ host }) => [host, { host, quoted: 0, approved: 0, denied: 0, denials: {} as DenialCounts }]),
  );
  const denials: DenialCounts = {};
  const cost = new Map<Currency, PlannedCost>();
  const costWithoutLimits = new Map<Currency, PlannedCost>();
  const named: PlannedPage[] = [];
  const spends = balances.map((read): PlannedSpend => ({ ...read, plannedMicros: ZERO_MICROS, exhausted: false }));
  const setAside = new Map<string, PlanBook["setAside"][number]>();
  const ends = createPlanEnds(request);

  /** Counts what a page sets aside, in every balance that a reservation would move. */
  function reserve(host: string, money: Money, at: number): void {
    const movement = { host, runId, at };
    addCost(cost, money);
    for (const key of balanceKeys(movement)) {
      const row = { ...key, currency: money.currency };
      const known = setAside.get(nameRow(row))?.micros ?? ZERO_MICROS;
      setAside.set(nameRow(row), { ...row, micros: addMicros(known, money.micros) });
    }
    const covering = coveringBudgets(budgets, movement, money.currency).map(({ budget }) => budget);
    for (const spend of spends.filter(({ budget }) => covering.includes(budget))) {
      spend.plannedMicros = addMicros(spend.plannedMicros, money.micros);
    }
  }

  function notePage({ host, price, reason }: PlannedDecision, now: number): void {
    if (price !== null && (reason === null || CLASS_OF_DENIAL[reason] === "limit")) {
      addCost(costWithoutLimits, price.cost);
    }
    const site = sites.get(host);
    if (reason !== null || site === undefined) {
      return;
    }
    site.quoted += 1;
    site.approved += 1;
    if (price !== null) {
      reserve(host, price.cost, now);
    }
  }

  return {
    planned: { sites, denials, cost, costWithoutLimits, budgets: spends, pages: named },
    read(hosts) {
      const scopes = new Set(["all", ...hosts.map((host) => `site:${host}`), `run:${runId}`]);
      const rows = [...setAside.values()].filter(({ scope }) => scopes.has(scope));
      const approved = [...sites.values()].reduce((sum, site) => sum + site.approved, 0);
      return {
        setAside: rows,
        approved,
        sites: hosts.map((host) => ({ host, approved: sites.get(host)?.approved ?? 0, ...ends.read(host) })),
      };
    },
    countDenied(host, denied) {
      const site = sites.get(host);
      if (site === undefined) {
        return;
      }
      for (const [reason, pages] of Object.entries(denied) as [DenialReason, number][]) {
        site.quoted += pages;
        site.denied += pages;
        site.denials[reason] = (site.denials[reason] ?? 0) + pages;
        denials[reason] = (denials[reason] ?? 0) + pages;
      }
    },
    async note(decisions, now) {
      assertBug(decisions !== undefined, "a plan is decided over its book");
      for (const page of decisions.pages) {
        notePage(page, now);
      }
      const { spent } = ends.note(decisions);
      for (const spend of spends.filter(({ budget }) => spent.some((one) => isSameBudget(one, budget)))) {
        spend.exhausted = true;
      }
      const bought = decisions.pages
        .filter(({ reason }) => reason === null)
        .map((page) => toPlannedPage(page, siteOf(deps, page.host).policy.policy.name));
      named.push(...bought.slice(0, maxNamed - named.length));
      if (bought.length > 0) {
        await onPages?.(bought);
      }
    },
  };
}

function addCost(costs: Map<Currency, PlannedCost>, { micros, currency }: Money): void {
  const known = costs.get(currency) ?? { setAsideMicros: ZERO_MICROS, pages: 0 };
  costs.set(currency, { setAsideMicros: addMicros(known.setAsideMicros, micros), pages: known.pages + 1 });
}
