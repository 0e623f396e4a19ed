/** Works on one run from its first lease to its last receipt. */
import { createProcessors } from "../../../jobs/index.ts";
import { isLicetError, type LicetError, messageOf } from "../../errors.ts";
import type { RunSummary } from "../../ledger/ledger-reports.ts";
import type { RunSpec } from "../../ledger/run-ledger.ts";
import { decideRound } from "../../pipeline/decide/decide-in-order.ts";
import { probeStarted } from "../../pipeline/probe/probe-started.ts";
import type { Flushed } from "../../pipeline/report/flush.ts";
import { flushUsage } from "../../pipeline/report/report.ts";
import { deriveMissingMarkdown } from "../../pipeline/settle/derive-markdown.ts";
import type { StageDeps } from "../../pipeline/stage-deps.ts";
import { dispatch } from "../../pipeline/work/dispatch.ts";
import { createInFlightRegistry, type InFlightRegistry } from "../../pipeline/work/in-flight-jobs.ts";
import { keepRun } from "../../pipeline/work/keep-run.ts";
import type { Queue } from "../../queue/queue.ts";
import { stoppedBy } from "../../run/stopped-by.ts";
import { sleepLong } from "../../time/sleep-long.ts";
import type { OpenedList } from "../lists/run-list.ts";
import type { Tuning } from "../tuning.ts";
import { failRun, findRunEnd } from "./run-end.ts";
import { type RunIntake, startIntake } from "./run-intake.ts";

export interface CrawlRequest {
  readonly runId: string;
  /** The run's sites and its own limits. */
  readonly limits: Pick<RunSpec, "sites" | "maxPages" | "maxSpend">;
  /** The name of this process in the ledger. */
  readonly process: string;
  /** Epoch ms; null: no limit. */
  readonly deadlineAt: number | null;
  /** Stops the run when it aborts. */
  readonly signal: AbortSignal;
  /** The list that brings the run's pages. @default none is read */
  readonly list?: OpenedList | null;
}

/** Why a run was stopped before it drained. */
interface Stop {
  readonly state: "interrupted" | "failed" | "max_duration";
  readonly reason: string;
  readonly endedBy: "itself" | "person" | "service";
  readonly error: unknown;
}

/**
 * Works on a run in the ledger until its end, and records that end.
 * @throws what stopped the run, after it was recorded as `failed`: a LicetError, or a bug. Or what it pauses for (`OutagePolicy`): it is then still
 * running in the ledger
 */
export async function runCrawl(
  deps: StageDeps,
  queue: Queue,
  tuning: Tuning,
  request: CrawlRequest,
): Promise<RunSummary> {
  const kept = keepRun(deps, request, request.signal);
  try {
    await warnOfStops(deps, request.runId);
    return await crawl(deps, queue, tuning, request, kept.signal);
  } finally {
    kept.stop();
  }
}

/** @param ending aborts when the user ends the run, or when another process works on it */
async function crawl(
  deps: StageDeps,
  queue: Queue,
  tuning: Tuning,
  request: CrawlRequest,
  ending: AbortSignal,
): Promise<RunSummary> {
  const stop = await workThrough(deps, queue, tuning, request, ending);
  if (stop?.state === "failed") {
    return failRun(deps, request, stop.error);
  }
  await deriveMissingMarkdown(deps);
  await flushAtEnd(deps, tuning, stop === null || stop.state === "max_duration" ? ending : AbortSignal.abort());
  const summary = await deps.ledger.readRun(request.runId);
  const end = stop ?? (await findRunEnd(deps.ledger, summary));
  const isOver = await deps.ledger.endRun({
    runId: request.runId,
    state: end.state,
    reason: end.reason,
    endedBy: stop?.endedBy ?? "itself",
    now: deps.clock.now(),
    drained: stop === null,
    process: request.process,
  });
  if (!isOver) {
    // While the last uses were reported, another process resumed the run and removed its stops, so there is work again.
    return crawl(deps, queue, tuning, request, ending);
  }
  return deps.ledger.readRun(request.runId);
}

/**
 * Warns about sites that are stopped before the run begins, for example by an open item. Nothing else reports them during the
 * run.
 */
async function warnOfStops({ ledger, events }: StageDeps, runId: string): Promise<void> {
  for (const { host, stop, stopDetail } of (await ledger.readRun(runId)).sites) {
    if (stop !== null) {
      events.siteStopped({ host, stop, detail: stopDetail ?? stop });
    }
  }
}

/** @returns null when nothing of the run is left to do */
async function workThrough(
  deps: StageDeps,
  queue: Queue,
  tuning: Tuning,
  request: CrawlRequest,
  ending: AbortSignal,
): Promise<Stop | null> {
  const stopper = createStopper(request.signal, ending);
  const inFlight = createInFlightRegistry(deps.clock);
  const fail = (error: unknown) => {
    // Known at once: the jobs in flight may take long to end, for example while paid content waits for room on the disk.
    deps.outagePolicy.pausesFor(error);
    stopper.stop(toFailure(error));
    inFlight.wake();
  };
  // Jobs that an earlier run of this agent left belong to that run's leases, and may name sites that this run does not crawl. The
  // ledger leases their batches again when that run is resumed.
  await queue.clear();
  const workers = await queue.startWorkers(
    createProcessors(deps, { stop: stopper.signal, inFlight, onFailure: (error: LicetError) => fail(error) }),
    {
      concurrency: tuning.workerConcurrency,
      onError: (error, job) => {
        if (job === null && isLicetError(error)) {
          deps.events.warned(error.message);
          return;
        }
        fail(error);
      },
    },
  );
  const deadline = watchDeadline(deps, request.deadlineAt, stopper);
  let intake: RunIntake | null = null;
  try {
    // Started purchases are probed before anything more is bought, also when a limit is already reached.
    await probeStarted(deps, request, ending);
    const { list = null } = request;
    if (list !== null) {
      const maxWaitingPages = maxWaiting(deps, tuning.dispatch);
      const { signal } = stopper;
      intake = startIntake(deps, request, list, { maxWaitingPages, signal, wake: inFlight.wake, onFailure: fail });
    }
    const hasMore = () => intake?.isOn() === true;
    return await dispatchUntilStopped({ deps, queue, limits: tuning.dispatch, inFlight, hasMore }, request, stopper);
  } catch (error) {
    return toFailure(error);
  } finally {
    deadline.abort();
    stopper.detach();
    await intake?.end();
    // Aborts the jobs' signal. After a drain there are no jobs. After a stop they finish their started work.
    await workers.close({ force: true });
  }
}

interface Dispatching {
  readonly deps: StageDeps;
  readonly queue: Queue;
  readonly limits: Tuning["dispatch"];
  readonly inFlight: InFlightRegistry;
  readonly hasMore: () => boolean;
}

function maxWaiting({ limits }: StageDeps, { waitingBatches }: Tuning["dispatch"]): number {
  return waitingBatches * limits.quoteBatchSize;
}

async function dispatchUntilStopped(
  { deps, queue, limits, inFlight, hasMore }: Dispatching,
  { runId, process, limits: runLimits }: CrawlRequest,
  stopper: Stopper,
): Promise<Stop | null> {
  const { ledger, clock, limits: stageLimits } = deps;
  const dispatchLimits = {
    ...limits,
    maxWaitingPages: maxWaiting(deps, limits),
    reportAtUses: stageLimits.reportBatchSize,
  };
  const dispatched = () =>
    dispatch({ ledger, clock, queue, inFlight, stageLimits, dispatchLimits, process, hasMore }, runId, stopper.signal);
  const { order } = deps;
  let end = await dispatched();
  // All is quoted now. Each round decides from the best down; what it approved is bought before the next one.
  while (end === "drained" && order !== "catalog" && !stopper.signal.aborted) {
    const round = await decideRound(deps, order, { ...runLimits, runId, process }, stopper.signal);
    if (round === "done") {
      break;
    }
    end = round === "taken" ? "ended" : await dispatched();
  }
  if (end === "ended") {
    stopper.stop(TAKEN);
  }
  const isCutShort = order !== "catalog" && stopper.signal.aborted;
  return end === "drained" && !isCutShort && stopper.stopped()?.state !== "failed" ? null : stopper.stopped();
}

interface Stopper {
  readonly signal: AbortSignal;
  stop(stop: Stop): void;
  stopped(): Stop | null;
  /** Removes the listener from the user's signal, which may exist longer than the run. */
  detach(): void;
}

/** This end is not recorded, because another process owns the run now. */
const TAKEN: Stop = {
  state: "interrupted",
  reason: "another process ended the run or took it over",
  endedBy: "itself",
  error: null,
};

function toFailure(error: unknown): Stop {
  const reason = messageOf(error);
  return { state: "failed", reason, endedBy: "itself", error };
}

/** Keeps the first reason to stop. */
function createStopper(user: AbortSignal, ending: AbortSignal): Stopper {
  const controller = new AbortController();
  let first: Stop | null = null;
  const stop = (reason: Stop) => {
    first ??= reason;
    controller.abort();
  };
  const interrupt = () =>
    stop(
      user.aborted
        ? { state: "interrupted", reason: "it was interrupted", endedBy: stoppedBy(user), error: null }
        : TAKEN,
    );
  if (ending.aborted) {
    interrupt();
  }
  ending.addEventListener("abort", interrupt, { once: true });
  return {
    signal: controller.signal,
    stop,
    stopped: () => first,
    detach: () => ending.removeEventListener("abort", interrupt),
  };
}

function watchDeadline(deps: StageDeps, deadlineAt: number | null, stopper: Stopper): AbortController {
  const over = new AbortController();
  const watch = async (at: number) => {
    // The clock may have been set back meanwhile.
    for (let leftMs = at - deps.clock.now(); leftMs > 0; leftMs = at - deps.clock.now()) {
      await sleepLong(deps.clock, leftMs, over.signal);
      if (over.signal.aborted) {
        return;
      }
    }
    const reason = "the run reached its longest duration";
    stopper.stop({ state: "max_duration", reason, endedBy: "itself", error: null });
  };
  if (deadlineAt !== null) {
    void watch(deadlineAt);
  }
  return over;
}

async function flushAtEnd(deps: StageDeps, tuning: Tuning, signal: AbortSignal): Promise<Flushed | null> {
  if (signal.aborted) {
    return null;
  }
  const flushed = await flushUsage(deps, { attempts: tuning.finalFlushAttempts, minUses: 1 }, signal);
  if (flushed.stopped !== null) {
    deps.events.warned(`not every use is reported: ${flushed.stopped}`);
  }
  return flushed;
}
