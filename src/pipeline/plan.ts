/**
 * Makes a plan: the same walk, quotes and verdicts as a run, but without a reservation. The plan stores its frontier in the
 * ledger, so memory stays flat for long catalogs. It uses a run of kind `plan`, which is discarded at the end. The costs are
 * counted in memory against the real balances.
 */
import { LicetError } from "../errors.ts";
import { toPageDecision } from "./decide.ts";
import { createDecisionTurns, type DecisionTurn, type DecisionTurns } from "./decision-turns.ts";
import { warnOfFlawedRates } from "./flawed-rates.ts";
import { createPlanCounters, type PlanCounters, type Planned, type PlanRequest } from "./plan-counters.ts";
import { quotePages, type RateAnswer, settleFailedQuote, toQuoteRequest } from "./quote.ts";
import { siteOf } from "./site-of.ts";
import type { StageDeps } from "./stage-deps.ts";
import { walk } from "./walk.ts";

/** Batches that are leased at once. The gateway's own limits slow the requests down. */
const PLAN_LEASES = 8;

/** @throws LicetError as the stages do; INTERRUPTED when the signal aborts, because half a plan would look like a whole one */
export async function planRun(deps: StageDeps, request: PlanRequest, signal: AbortSignal): Promise<Planned> {
  const { runId } = request;
  // One order over all sites, so that two plans of the same world agree.
  const turns = createDecisionTurns();
  const counters = createPlanCounters(request, deps, await readBudgets(deps, request, deps.clock.now()));
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
  const now = deps.clock.now();
  const blocked = new Map(
    (
      await deps.ledger.findBlocked({
        pageIds: opened.pages.map(({ pageId }) => pageId),
        inDoubt: site.policy.policy.inDoubt,
      })
    ).map(({ pageId, reason }) => [pageId, reason]),
  );
  const balances = await readBudgets(deps, request, now);
  const decisions = opened.pages.map((page, index) =>
    toPageDecision(deps, site, page, answers === null ? null : (answers[index] ?? { kind: "missing" }), now),
  );
  const { host, pages } = opened;
  const bought = counters.count({
    host,
    policyName: site.policy.policy.name,
    decisions,
    pages,
    blocked,
    balances,
    now,
  });
  warnOfFlawedRates(deps, opened.host, opened.pages, answers, now);
  await deps.ledger.finishQuoteBatch(leaseId);
  if (bought.length > 0) {
    await request.onPages?.(bought);
  }
}
