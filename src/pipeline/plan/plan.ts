/**
 * Makes a plan: the same walk, quotes and verdicts as a run, but without a reservation. The plan stores its frontier in the
 * ledger, so memory stays flat for long catalogs. It uses a run of kind `plan`, which is discarded at the end. The costs are
 * counted in memory against the real balances.
 */
import { LicetError } from "../../errors.ts";
import type { OpenedQuoteBatch } from "../../ledger/frontier-ledger.ts";
import { toRankedDecision } from "../decide/best-first.ts";
import { createDecisionTurns, type DecisionTurn, type DecisionTurns } from "../decide/decision-turns.ts";
import { warnOfFlawedRates } from "../quote/flawed-rates.ts";
import { quotePages, settleFailedQuote, toQuoteRequest } from "../quote/quote.ts";
import { answerAt, type RateAnswer } from "../quote/rate-answer.ts";
import { siteOf } from "../site-of.ts";
import type { StageDeps } from "../stage-deps.ts";
import { walk } from "../walk/walk.ts";
import { createPlanCounters, type PlanCounters, type Planned, type PlanRequest } from "./plan-counters.ts";
import { planInOrder } from "./plan-in-order.ts";
import type { PlannedPage } from "./planned-pages.ts";

/** Batches that are leased at once. The gateway's own limits slow the requests down. */
const PLAN_LEASES = 8;

/** @throws LicetError as the stages do; INTERRUPTED when the signal aborts, because half a plan would look like a whole one */
export async function planRun(deps: StageDeps, request: PlanRequest, signal: AbortSignal): Promise<Planned> {
  const { runId } = request;
  // One order over all sites, so that two plans of the same world agree.
  const turns = createDecisionTurns();
  const at = deps.clock.now();
  const counters = createPlanCounters(request, deps, { balances: await readBudgets(deps, request, at), at });
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
        await countCandidates(deps, request, counters);
        return counters.planned;
      }
      await deps.clock.sleep(Math.max(1, (nextReadyAt ?? 0) - deps.clock.now()), signal);
      continue;
    }
    const ends = await Promise.allSettled(
      leases.map(({ stage, leaseId }) =>
        stage === "walk" ? walk(deps, leaseId, signal) : planBatch(deps, { request, counters, turns }, leaseId, signal),
      ),
    );
    // Wait until all have ended. The plan is discarded next, and no stage may write to it after that.
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) {
      throw failed.reason;
    }
  }
}

async function countCandidates(deps: StageDeps, request: PlanRequest, counters: PlanCounters): Promise<void> {
  const { order } = deps;
  if (order !== "catalog") {
    const now = deps.clock.now();
    await planInOrder(deps, order, { request, counters, openLimits: () => counters.openLimits(now) });
  }
}

function readBudgets({ ledger, budgets }: StageDeps, { sites }: PlanRequest, now: number) {
  return ledger.readBalances({ budgets, hosts: sites.map(({ host }) => host), runId: null, now });
}

interface Planning {
  readonly request: PlanRequest;
  readonly counters: PlanCounters;
  readonly turns: DecisionTurns;
}

async function planBatch(deps: StageDeps, planning: Planning, leaseId: string, signal: AbortSignal): Promise<void> {
  const turn = planning.turns.enter();
  try {
    await planInTurn(deps, planning, { leaseId, turn }, signal);
  } finally {
    turn.leave();
  }
}

async function planInTurn(
  deps: StageDeps,
  { request, counters }: Planning,
  { leaseId, turn }: { readonly leaseId: string; readonly turn: DecisionTurn },
  signal: AbortSignal,
): Promise<void> {
  const opened = await deps.ledger.openQuoteBatch(leaseId);
  if (opened === null) {
    return;
  }
  const site = siteOf(deps, opened.host);
  let answers: readonly RateAnswer[] | null = null;
  try {
    answers =
      site.policy.policy.intent === "indexing" ? null : await quotePages(deps, toQuoteRequest(deps, opened), signal);
  } catch (error) {
    return settleFailedQuote(deps, leaseId, opened, error, signal);
  }
  await turn.wait();
  const bought = await countBatch(deps, { request, counters, opened, leaseId }, answers);
  warnOfFlawedRates(deps, opened.host, opened.pages, answers, deps.clock.now());
  if (bought.length > 0) {
    await request.onPages?.(bought);
  }
}

/** @returns the pages that would be bought. Under an order other than that of the catalog none yet: they are kept as candidates. */
async function countBatch(
  deps: StageDeps,
  {
    request,
    counters,
    opened,
    leaseId,
  }: Pick<Planning, "request" | "counters"> & { readonly opened: OpenedQuoteBatch; readonly leaseId: string },
  answers: readonly RateAnswer[] | null,
): Promise<readonly PlannedPage[]> {
  const { ledger, clock, order } = deps;
  const { host, pages } = opened;
  const site = siteOf(deps, host);
  const { name: policyName, inDoubt } = site.policy.policy;
  const now = clock.now();
  const balances = await readBudgets(deps, request, now);
  const all = pages.map((page, index) => ({
    page,
    decision: toRankedDecision(deps, site, page, answerAt(answers, index), now),
  }));
  if (order !== "catalog") {
    await ledger.recordCandidates({ leaseId, now, order, policyName, decisions: all.map(({ decision }) => decision) });
  }
  const counted = order === "catalog" ? all : all.filter(({ decision }) => decision.verdict.kind === "denied");
  const blocked = await ledger.findBlocked({ pageIds: counted.map(({ page }) => page.pageId), inDoubt });
  const bought = counters.count({
    host,
    policyName,
    decisions: counted.map(({ decision }) => decision),
    pages: counted.map(({ page }) => page),
    blocked: new Map(blocked.map(({ pageId, reason }) => [pageId, reason])),
    balances,
    now,
  });
  if (order === "catalog") {
    await ledger.finishQuoteBatch(leaseId);
  }
  return bought;
}
