/**
 * Makes a plan: the same walk, quotes and verdicts as a run, but without a reservation. The plan stores its frontier in the
 * ledger, so memory stays flat for long catalogs. It uses a run of kind `plan`, which is discarded at the end. The costs are
 * counted in memory against the real balances.
 */
import type { Balance, Budget } from "../budget/budget.ts";
import { headroom } from "../budget/headroom.ts";
import { budgetBalanceKey } from "../budget/scope.ts";
import { LicetError } from "../errors.ts";
import type { OpenedQuoteBatch, PageDecision } from "../ledger/frontier-ledger.ts";
import type { RunSpec } from "../ledger/run-ledger.ts";
import { addMicros, type Micros, subtractMicros, ZERO_MICROS } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { Rate } from "../rates/rate.ts";
import { toPageDecision } from "./decide.ts";
import { warnOfFlawedRates } from "./flawed-rates.ts";
import { type Quote, quotePages, settleFailedQuote, toQuoteRequest } from "./quote.ts";
import { siteOf } from "./site-of.ts";
import type { StageDeps } from "./stage-deps.ts";
import { walk } from "./walk.ts";

/** Batches that are leased at once. The gateway's own limits slow the requests down. */
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

/** What a run would buy. The counts of the walk are in the ledger's summary of the plan's run. */
export interface Planned {
  readonly sites: ReadonlyMap<string, PlannedSite>;
  readonly denials: ReadonlyMap<string, number>;
  readonly cost: ReadonlyMap<Currency, { micros: Micros; pages: number }>;
  readonly budgets: readonly PlannedSpend[];
}

/** The limits that a run of the same sites would have. `runId` names a run of kind `plan` that exists in the ledger. */
export type PlanRequest = Pick<RunSpec, "runId" | "sites" | "maxPages" | "maxSpend">;

type LimitReason = "max_pages" | "max_spend" | "budget_exhausted";

interface Tally {
  readonly request: PlanRequest;
  readonly sites: Map<string, PlannedSite>;
  readonly denials: Map<string, number>;
  readonly cost: Map<Currency, { micros: Micros; pages: number }>;
  readonly budgets: readonly PlannedSpend[];
  /** Hosts that reached a limit. A run would buy no more pages there, not even free ones. */
  readonly stopped: Map<string, LimitReason>;
  /** Currencies in which a host has no money left. The host is stopped when it has no other currency. */
  readonly exhausted: ReadonlyMap<string, Set<Currency>>;
  readonly settings: StageDeps["sites"];
}

/** @throws LicetError as the stages do; INTERRUPTED when the signal aborts, because half a plan would look like a whole one */
export async function planRun(deps: StageDeps, request: PlanRequest, signal: AbortSignal): Promise<Planned> {
  const { runId, sites } = request;
  const balances = await deps.ledger.readBalances({
    budgets: deps.budgets,
    hosts: sites.map(({ host }) => host),
    runId: null,
    now: deps.clock.now(),
  });
  const tally: Tally = {
    request,
    sites: new Map(sites.map(({ host }) => [host, { host, quoted: 0, approved: 0, denied: 0 }])),
    denials: new Map(),
    cost: new Map(),
    budgets: balances.map(({ budget, balance }) => ({ budget, balance, plannedMicros: ZERO_MICROS, exhausted: false })),
    stopped: new Map(),
    exhausted: new Map(sites.map(({ host }) => [host, new Set()])),
    settings: deps.sites,
  };
  for (;;) {
    // A stopped stage returns its batches, and they could be leased again at once. Only this check ends the loop then.
    if (signal.aborted) {
      throw new LicetError("INTERRUPTED", "the plan was interrupted; nothing was reserved or spent");
    }
    const leases = await deps.ledger.leaseBatches({
      runId,
      limit: PLAN_LEASES,
      now: deps.clock.now(),
      leaseMs: deps.limits.leaseMs,
      maxWaitingPages: PLAN_LEASES * deps.limits.quoteBatchSize,
    });
    if (leases.length === 0) {
      const { openBatches, nextReadyAt } = await deps.ledger.readProgress({ runId, now: deps.clock.now() });
      if (openBatches === 0) {
        return tally;
      }
      await deps.clock.sleep(Math.max(1, (nextReadyAt ?? 0) - deps.clock.now()), signal);
      continue;
    }
    const ends = await Promise.allSettled(
      leases.map(({ stage, leaseId }) =>
        stage === "walk" ? walk(deps, leaseId, signal) : planBatch(deps, tally, leaseId, signal),
      ),
    );
    // Wait until all have ended. The plan is discarded next, and no stage may write to it after that.
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) {
      throw failed.reason;
    }
  }
}

async function planBatch(deps: StageDeps, tally: Tally, leaseId: string, signal: AbortSignal): Promise<void> {
  const opened = await deps.ledger.openQuoteBatch(leaseId);
  if (opened === null) {
    return;
  }
  const site = siteOf(deps, opened.host);
  let quotes: readonly Quote[] | null = null;
  try {
    quotes =
      site.policy.policy.intent === "indexing" ? null : await quotePages(deps, toQuoteRequest(deps, opened), signal);
  } catch (error) {
    return settleFailedQuote(deps, leaseId, opened, error, signal);
  }
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
    const decision = toPageDecision(
      deps,
      site,
      page,
      quotes === null ? null : (quotes[index] ?? { kind: "missing" }),
      now,
    );
    countDecision(tally, opened, decision, blocked.get(page.pageId) ?? null, now);
  });
  warnOfFlawedRates(deps, opened.host, opened.pages, quotes, now);
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
  const reason =
    verdict.kind === "denied"
      ? verdict.reason
      : (blocked ?? tally.stopped.get(host) ?? findLimit(tally, site, verdict, now));
  if (reason !== null) {
    site.denied++;
    tally.denials.set(reason, (tally.denials.get(reason) ?? 0) + 1);
    return;
  }
  site.approved++;
}

/**
 * Reserves the page's cost in the plan, in the same order of limits as the ledger. @returns the limit that the cost exceeds, or
 * null
 */
function findLimit(
  tally: Tally,
  site: PlannedSite,
  verdict: Extract<PageDecision["verdict"], { kind: "allowed" }>,
  now: number,
): LimitReason | null {
  const { request } = tally;
  const approved = [...tally.sites.values()].reduce((sum, one) => sum + one.approved, 0);
  if (request.maxPages !== null && approved >= request.maxPages) {
    return stopSites(tally, null, "max_pages");
  }
  const maxPages = request.sites.find(({ host }) => host === site.host)?.maxPages ?? null;
  if (maxPages !== null && site.approved >= maxPages) {
    return stopSites(tally, site.host, "max_pages");
  }
  return verdict.rate === null ? null : spend(tally, site, { ...verdict, rate: verdict.rate }, now);
}

function spend(
  tally: Tally,
  site: PlannedSite,
  { rate, feeMicros, useReserveMicros }: { rate: Rate; feeMicros: Micros; useReserveMicros: Micros },
  now: number,
): LimitReason | null {
  const { currency, micros } = rate.price;
  const needed = addMicros(addMicros(micros, feeMicros), useReserveMicros);
  if (tally.exhausted.get(site.host)?.has(currency)) {
    return "budget_exhausted";
  }
  const covering = tally.budgets.filter(
    ({ budget }) =>
      budget.currency === currency && budgetBalanceKey(budget, { host: site.host, runId: "plan", at: now }) !== null,
  );
  for (const planned of covering) {
    if (needed > subtractMicros(headroom(planned.budget, planned.balance), planned.plannedMicros)) {
      planned.exhausted = true;
      exhaust(tally, planned.budget.scope.kind === "site" ? [site.host] : [...tally.sites.keys()], currency);
      return "budget_exhausted";
    }
  }
  const cost = tally.cost.get(currency) ?? { micros: ZERO_MICROS, pages: 0 };
  const { maxSpend } = tally.request;
  if (maxSpend?.currency === currency && needed > subtractMicros(maxSpend.micros, cost.micros)) {
    return stopSites(tally, null, "max_spend");
  }
  for (const planned of covering) {
    planned.plannedMicros = addMicros(planned.plannedMicros, needed);
  }
  tally.cost.set(currency, { micros: addMicros(cost.micros, needed), pages: cost.pages + 1 });
  return null;
}

/**
 * Records that a currency has no money left. A budget covers only pages of its own currency, so a host is stopped when no
 * currency is left. A host that is only indexed is never stopped.
 */
function exhaust(tally: Tally, hosts: readonly string[], currency: Currency): void {
  for (const host of hosts) {
    const exhausted = tally.exhausted.get(host)?.add(currency);
    const settings = tally.settings.get(host);
    const isOver = settings !== undefined && [...settings.currencies].every((one) => exhausted?.has(one));
    if (isOver && settings.policy.policy.intent === "content") {
      stopSites(tally, host, "budget_exhausted");
    }
  }
}

/** @param host null: every site of the plan */
function stopSites(tally: Tally, host: string | null, reason: LimitReason): LimitReason {
  for (const stopped of host === null ? tally.sites.keys() : [host]) {
    if (!tally.stopped.has(stopped)) {
      tally.stopped.set(stopped, reason);
    }
  }
  return reason;
}
