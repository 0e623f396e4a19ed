/**
 * Makes a plan: the stages of a run, up to the reservation. They decide over a book that is thrown away (plan-book.ts). The plan stores its frontier
 * in the ledger, so memory stays flat for long catalogs. It uses a run of kind `planning`, which is discarded at the end.
 */
import { LicetError } from "../../errors.ts";
import type { Lease } from "../../ledger/lease-ledger.ts";
import type { BestFirst } from "../../policy/rank-page.ts";
import { decideRound } from "../decide/decide-in-order.ts";
import { createDecisionTurns } from "../decide/decision-turns.ts";
import { type RunningIntake, startIntake } from "../lists/start-intake.ts";
import { quote } from "../quote/quote.ts";
import type { StageDeps } from "../stage-deps.ts";
import { walk } from "../walk/walk.ts";
import { type CountedBook, createPlanBook, type Planned, type PlanRequest } from "./plan-book.ts";

/** Batches that are leased at once. The gateway's own limits slow the requests down. */
const PLAN_LEASES = 8;
/** How long the plan waits for lines before it looks again. */
const MAX_WAIT_MS = 1_000;

/**
 * @throws LicetError as the stages do, and what reading the list throws; INTERRUPTED when the signal aborts, because half a plan would look like a
 * whole one
 */
export async function planRun(deps: StageDeps, request: PlanRequest, signal: AbortSignal): Promise<Planned> {
  const { ledger, budgets, clock, order } = deps;
  const { sites } = request;
  const hosts = sites.map(({ host }) => host);
  const book = createPlanBook(
    request,
    deps,
    await ledger.readBalances({ budgets, hosts, runId: null, now: clock.now() }),
  );
  const planDeps = toPlanDeps(deps, book);
  const ending = new AbortController();
  const pages = takePages(planDeps, request, AbortSignal.any([signal, ending.signal]));
  try {
    await quoteAll(planDeps, request, pages, signal);
    if (order !== "catalog") {
      await decideCandidates(planDeps, order, request, signal);
    }
    return book.planned;
  } finally {
    // The plan is discarded next, and nothing may write to it after that.
    ending.abort();
    await pages.ended;
  }
}

interface ListedPages extends RunningIntake {
  /** @throws what reading the list threw */
  check(): void;
  /** Waits for lines, at most this long. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/** Takes in the list of the plan, if there is one. */
function takePages(deps: StageDeps, { runId, process, list = null }: PlanRequest, signal: AbortSignal): ListedPages {
  let failure: { readonly error: unknown } | null = null;
  let waiting = new AbortController();
  const taking = {
    runId,
    process,
    maxWaitingPages: PLAN_LEASES * deps.limits.quoteBatchSize,
    onPages: () => waiting.abort(),
  };
  const onFailure = (error: unknown) => {
    failure = { error };
  };
  return {
    ...startIntake(deps, list === null ? null : { ...list, ...taking }, { signal, onFailure }),
    check() {
      if (failure !== null) {
        throw failure.error;
      }
    },
    async wait(timeoutMs, stop) {
      await deps.clock.sleep(timeoutMs, AbortSignal.any([stop, waiting.signal]));
      waiting = new AbortController();
    },
  };
}

/** Walks and quotes until nothing is left, and decides in the order of the catalog. */
async function quoteAll(
  deps: StageDeps,
  { runId }: PlanRequest,
  pages: ListedPages,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, clock, limits } = deps;
  for (;;) {
    // A stopped stage returns its batches, and they could be leased again at once. Only this check ends the loop then.
    if (signal.aborted) {
      throw interrupted();
    }
    pages.check();
    const isMoreToCome = pages.isOn();
    const leases = await ledger.leaseBatches({
      runId,
      limit: PLAN_LEASES,
      now: clock.now(),
      leaseMs: limits.leaseMs,
      maxWaitingPages: PLAN_LEASES * limits.quoteBatchSize,
    });
    if (leases.length > 0) {
      await workOn(deps, leases, signal);
      continue;
    }
    const { openBatches, nextReadyAt } = await ledger.readProgress({ runId, now: clock.now() });
    if (openBatches === 0 && !isMoreToCome) {
      pages.check();
      return;
    }
    const idleMs = isMoreToCome ? MAX_WAIT_MS : 1;
    await pages.wait(nextReadyAt === null ? idleMs : Math.max(1, nextReadyAt - clock.now()), signal);
  }
}

async function workOn(deps: StageDeps, leases: readonly Lease[], signal: AbortSignal): Promise<void> {
  const ends = await Promise.allSettled(
    leases.map(({ stage, leaseId }) => (stage === "walk" ? walk(deps, leaseId, signal) : quote(deps, leaseId, signal))),
  );
  // Wait until all have ended. The plan is discarded next, and no stage may write to it after that.
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) {
    throw failed.reason;
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
