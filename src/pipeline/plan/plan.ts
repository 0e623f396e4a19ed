/**
 * Makes a plan: the stages of a run, up to the reservation. They decide over a book that is thrown away (plan-book.ts). The plan stores its frontier
 * in the ledger, so memory stays flat for long catalogs. It uses a run of kind `planning`, which is discarded at the end.
 */
import { LicetError } from "../../errors.ts";
import type { BestFirst } from "../../policy/rank-page.ts";
import { decideRound } from "../decide/decide-in-order.ts";
import { createDecisionTurns } from "../decide/decision-turns.ts";
import { quote } from "../quote/quote.ts";
import type { StageDeps } from "../stage-deps.ts";
import { walk } from "../walk/walk.ts";
import { type CountedBook, createPlanBook, type Planned, type PlanRequest } from "./plan-book.ts";

/** Batches that are leased at once. The gateway's own limits slow the requests down. */
const PLAN_LEASES = 8;

/** @throws LicetError as the stages do; INTERRUPTED when the signal aborts, because half a plan would look like a whole one */
export async function planRun(deps: StageDeps, request: PlanRequest, signal: AbortSignal): Promise<Planned> {
  const { ledger, budgets, clock, order } = deps;
  const { runId, sites } = request;
  const hosts = sites.map(({ host }) => host);
  const book = createPlanBook(
    request,
    deps,
    await ledger.readBalances({ budgets, hosts, runId: null, now: clock.now() }),
  );
  const planDeps = toPlanDeps(deps, book);
  for (;;) {
    // A stopped stage returns its batches, and they could be leased again at once. Only this check ends the loop then.
    if (signal.aborted) {
      throw interrupted();
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
        if (order !== "catalog") {
          await decideCandidates(planDeps, order, request, signal);
        }
        return book.planned;
      }
      await deps.clock.sleep(Math.max(1, (nextReadyAt ?? 0) - deps.clock.now()), signal);
      continue;
    }
    const ends = await Promise.allSettled(
      leases.map(({ stage, leaseId }) =>
        stage === "walk" ? walk(planDeps, leaseId, signal) : quote(planDeps, leaseId, signal),
      ),
    );
    // Wait until all have ended. The plan is discarded next, and no stage may write to it after that.
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) {
      throw failed.reason;
    }
  }
}

/** Round by round, as a run does between its purchases. No money comes back to a plan, so few rounds are enough. */
async function decideCandidates(
  deps: StageDeps,
  order: BestFirst,
  request: PlanRequest,
  signal: AbortSignal,
): Promise<void> {
  let round: Awaited<ReturnType<typeof decideRound>>;
  do {
    round = await decideRound(deps, order, request, signal);
    if (signal.aborted || round === "taken") {
      throw interrupted();
    }
  } while (round !== "done");
}

function interrupted(): LicetError {
  return new LicetError("INTERRUPTED", "the plan was interrupted; nothing was reserved or spent");
}

/** What the stages of a plan depend on: they decide over the book, and tell it what they decided. */
function toPlanDeps(deps: StageDeps, book: CountedBook): StageDeps {
  const turns = createDecisionTurns();
  return {
    ...deps,
    book,
    // One order over all sites, so that two plans of the same world agree, and so that each decision finds the book as the one before left it.
    turns: { enter: () => ({ ...turns.enter(), isOf: () => {} }) },
    events: { ...deps.events, decided: ({ host, denied }) => book.countDenied(host, denied) },
  };
}
