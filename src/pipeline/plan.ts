/**
 * A plan: the same walk, quotes and verdicts as a run, without a reservation. It uses the ledger's frontier (so memory stays
 * flat however long the catalogs are) under a run of its own kind that is discarded at the end, and counts what it would
 * set aside against the real balances in memory.
 */
import type { Balance, Budget } from "../budget/budget.ts";
import { headroom } from "../budget/headroom.ts";
import { budgetBalanceKey } from "../budget/scope.ts";
import type { OpenedQuoteBatch, PageDecision } from "../ledger/frontier-ledger.ts";
import type { RunSiteSpec } from "../ledger/run-ledger.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import { judgePage } from "./decide.ts";
import { quotePages } from "./quote.ts";
import { siteOf } from "./site-of.ts";
import type { StageDeps } from "./stage-deps.ts";
import { walk } from "./walk.ts";

/** Batches leased at once: the gateway's own limits hold back the requests. */
const PLAN_LEASES = 8;

export interface PlannedSite {
  readonly host: string;
  quoted: number;
  approved: number;
  denied: number;
}

export interface PlannedSpend {
  readonly budget: Budget;
  readonly balance: Balance;
  plannedMicros: Micros;
  exhausted: boolean;
}

/** What would be bought. The counts of the walk are in the ledger's summary of the plan's run. */
export interface Planned {
  readonly sites: ReadonlyMap<string, PlannedSite>;
  readonly denials: ReadonlyMap<string, number>;
  readonly cost: ReadonlyMap<Currency, { micros: Micros; pages: number }>;
  readonly budgets: readonly PlannedSpend[];
}

interface Tally {
  readonly sites: Map<string, PlannedSite>;
  readonly denials: Map<string, number>;
  readonly cost: Map<Currency, { micros: Micros; pages: number }>;
  readonly budgets: readonly PlannedSpend[];
  readonly siteLimits: ReadonlyMap<string, number | null>;
}

/**
 * @param runId of a run of kind `plan` that exists in the ledger
 * @throws LicetError as the stages do
 */
export async function planRun(
  deps: StageDeps,
  runId: string,
  sites: readonly RunSiteSpec[],
  signal: AbortSignal,
): Promise<Planned> {
  const balances = await deps.ledger.readBalances({
    budgets: deps.budgets,
    hosts: sites.map(({ host }) => host),
    runId: null,
    now: deps.clock.now(),
  });
  const tally: Tally = {
    sites: new Map(sites.map(({ host }) => [host, { host, quoted: 0, approved: 0, denied: 0 }])),
    denials: new Map(),
    cost: new Map(),
    budgets: balances.map(({ budget, balance }) => ({ budget, balance, plannedMicros: ZERO_MICROS, exhausted: false })),
    siteLimits: new Map(sites.map(({ host, maxPages }) => [host, maxPages])),
  };
  for (;;) {
    const leases = await deps.ledger.leaseBatches({
      runId,
      limit: PLAN_LEASES,
      now: deps.clock.now(),
      leaseMs: deps.limits.leaseMs,
      maxWaitingPages: PLAN_LEASES * deps.limits.quoteBatchSize,
    });
    if (leases.length === 0) {
      const { openBatches, nextReadyAt } = await deps.ledger.readProgress({ runId, now: deps.clock.now() });
      if (openBatches === 0 || signal.aborted) {
        return tally;
      }
      await deps.clock.sleep(Math.max(1, (nextReadyAt ?? 0) - deps.clock.now()), signal);
      continue;
    }
    await Promise.all(
      leases.map(({ stage, leaseId }) =>
        stage === "walk" ? walk(deps, leaseId, signal) : planBatch(deps, tally, leaseId, signal),
      ),
    );
  }
}

async function planBatch(deps: StageDeps, tally: Tally, leaseId: string, signal: AbortSignal): Promise<void> {
  const opened = await deps.ledger.openQuoteBatch(leaseId);
  if (opened === null) {
    return;
  }
  const site = siteOf(deps, opened.host);
  const quotes = site.policy.policy.intent === "indexing" ? null : await quotePages(deps, opened.pages, signal);
  const now = deps.clock.now();
  const blocked = new Map(
    (
      await deps.ledger.findBlocked({
        pageIds: opened.pages.map(({ pageId }) => pageId),
        inDoubt: site.policy.policy.inDoubt,
      })
    ).map(({ pageId, reason }) => [pageId, reason]),
  );
  opened.pages.forEach((page, index) => {
    const decision = judgePage(deps, site, page, quotes === null ? null : (quotes[index] ?? { kind: "missing" }), now);
    countDecision(tally, opened, decision, blocked.get(page.pageId) ?? null, now);
  });
  await deps.ledger.finishQuoteBatch(leaseId);
}

function countDecision(
  tally: Tally,
  { host }: OpenedQuoteBatch,
  { verdict }: PageDecision,
  blocked: string | null,
  now: number,
): void {
  const site = tally.sites.get(host);
  if (site === undefined) {
    return;
  }
  site.quoted++;
  const reason = verdict.kind === "denied" ? verdict.reason : (blocked ?? findLimit(tally, site, verdict, now));
  if (reason !== null) {
    site.denied++;
    tally.denials.set(reason, (tally.denials.get(reason) ?? 0) + 1);
    return;
  }
  site.approved++;
}

/** Sets the page's cost aside in the plan. @returns the limit it does not fit, or null */
function findLimit(
  tally: Tally,
  site: PlannedSite,
  verdict: Extract<PageDecision["verdict"], { kind: "allowed" }>,
  now: number,
): "max_pages" | "budget_exhausted" | null {
  const maxPages = tally.siteLimits.get(site.host) ?? null;
  if (maxPages !== null && site.approved >= maxPages) {
    return "max_pages";
  }
  if (verdict.rate === null) {
    return null;
  }
  const { currency, micros } = verdict.rate.price;
  const needed = addMicros(addMicros(micros, verdict.feeMicros), verdict.useReserveMicros);
  const covering = tally.budgets.filter(
    ({ budget }) =>
      budget.currency === currency && budgetBalanceKey(budget, { host: site.host, runId: "plan", at: now }) !== null,
  );
  for (const spend of covering) {
    if (spend.exhausted || addMicros(spend.plannedMicros, needed) > headroom(spend.budget, spend.balance)) {
      spend.exhausted = true;
      return "budget_exhausted";
    }
  }
  for (const spend of covering) {
    spend.plannedMicros = addMicros(spend.plannedMicros, needed);
  }
  const cost = tally.cost.get(currency) ?? { micros: ZERO_MICROS, pages: 0 };
  tally.cost.set(currency, { micros: addMicros(cost.micros, needed), pages: cost.pages + 1 });
  return null;
}
