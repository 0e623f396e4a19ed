/**
 * One work period of a run, whatever its kind: what it had started is probed, its pages come from where its kind says, and their batches go
 * through the queue to their stages until nothing is left or something stops the run. Then it records how the run ended.
 */
import { createProcessors } from "../../../jobs/index.ts";
import { isLicetError } from "../../errors.ts";
import type { RunSummary } from "../../ledger/ledger-reports.ts";
import type { RunSpec } from "../../ledger/run-ledger.ts";
import { decideRound } from "../../pipeline/decide/decide-in-order.ts";
import { admitHints } from "../../pipeline/hints/admit-hints.ts";
import { type RunningIntake, startIntake } from "../../pipeline/lists/start-intake.ts";
import { probeStarted } from "../../pipeline/probe/probe-started.ts";
import { flushUsage } from "../../pipeline/report/report.ts";
import { deriveMissingMarkdown } from "../../pipeline/settle/derive-markdown.ts";
import type { StageDeps } from "../../pipeline/stage-deps.ts";
import { type DispatchDeps, dispatch } from "../../pipeline/work/dispatch.ts";
import type { WorkersElsewhere } from "../../pipeline/work/elsewhere.ts";
import { createInFlightRegistry } from "../../pipeline/work/in-flight-jobs.ts";
import type { QueueWorkers } from "../../queue/queue.ts";
import { KINDS } from "../../run/kinds.ts";
import type { Resources } from "../compose.ts";
import type { OpenedList } from "../lists/run-list.ts";
import { tuneToPlaces } from "../tuning.ts";
import { failRun, findRunEnd } from "./run-end.ts";
import { createStopper, type Stop, type Stopper, toFailure } from "./run-stop.ts";

export interface WorkPeriod {
  readonly spec: Pick<RunSpec, "runId" | "kind" | "sites" | "maxPages" | "maxSpend" | "deadlineAt">;
  /** The name of this process in the ledger. */
  readonly process: string;
  /** The list that brings the run's pages; null when none is read. */
  readonly list: OpenedList | null;
  /** Stops the run when it aborts. */
  readonly user: AbortSignal;
  /** Aborts when the user stops the run, or when another process works on it. */
  readonly ending: AbortSignal;
  /** Who else works on the run. */
  readonly elsewhere: WorkersElsewhere;
}

/**
 * Works on a run in the ledger until its end, and records that end.
 * @throws what stopped the run, after it was recorded as `failed`: a LicetError, or a bug. Or what it pauses for (`OutagePolicy`): it is then still
 * running in the ledger
 */
export async function workPeriod(
  deps: StageDeps,
  resources: Pick<Resources, "queue" | "tuning">,
  period: WorkPeriod,
): Promise<RunSummary> {
  const { ledger, clock } = deps;
  const { process } = period;
  const { runId } = period.spec;
  await warnOfStops(deps, runId);
  for (;;) {
    const stop = await workThrough(deps, resources, period);
    if (stop?.state === "failed") {
      return failRun(deps, { runId, process }, stop.error);
    }
    await deriveMissingMarkdown(deps);
    if ((stop === null || stop.state === "max_duration") && !period.ending.aborted) {
      await reportLast(deps, resources, period.ending);
    }
    const end = stop ?? (await findRunEnd(ledger, await ledger.readRun(runId)));
    const isOver = await ledger.endRun({
      runId,
      state: end.state,
      reason: end.reason,
      endedBy: stop?.endedBy ?? "itself",
      who: stop?.who ?? null,
      now: clock.now(),
      drained: stop === null,
      process,
    });
    if (isOver) {
      return ledger.readRun(runId);
    }
    // While the last uses were reported, another process resumed the run and removed its stops, so there is work again.
  }
}

/**
 * Warns about sites that are stopped before the run begins, for example by an open item. Nothing else reports them during the
 * run.
 */
async function warnOfStops({ ledger, events }: StageDeps, runId: string): Promise<void> {
  for (const stopped of await ledger.readStops(runId)) {
    events.siteStopped(stopped);
  }
}

/** @returns null when nothing of the run is left to do */
async function workThrough(
  deps: StageDeps,
  resources: Pick<Resources, "queue" | "tuning">,
  period: WorkPeriod,
): Promise<Stop | null> {
  const { ledger, clock, limits, events } = deps;
  const { spec, process } = period;
  const { elsewhere } = period;
  const tuneTo = (processes?: number) => tuneToPlaces(resources.tuning, deps.tokenSlots.count, processes);
  const tuning = () => tuneTo(1 + elsewhere.count()).dispatch;
  const countWaiting = () => tuning().waitingBatches * limits.quoteBatchSize;
  const stopper = createStopper(clock, { ...period, deadlineAt: spec.deadlineAt });
  const inFlight = createInFlightRegistry(clock);
  // The next batches of the site are leased at once, and not when the first one has ended.
  deps.siteHealth.onProven(inFlight.wake);
  const onFailure = (error: unknown) => {
    // Known at once: the jobs in flight may take long to end, for example while paid content waits for room on the disk.
    deps.outagePolicy.pausesFor(error);
    stopper.stop(toFailure(error));
    inFlight.wake();
  };
  let workers: QueueWorkers | null = null;
  let intake: RunningIntake | null = null;
  let leave = async () => {};
  try {
    // Before anything more is bought, also when a limit is already reached. A token lives for minutes, and waits for no queue.
    await probeStarted(deps, { runId: spec.runId, process }, period.ending);
    await bringHints(deps, period);
    const queue = await resources.queue(events.warned);
    // Jobs that an earlier run of this agent left belong to that run's leases, and may name sites that this run does not crawl. The
    // ledger leases their batches again when that run is resumed.
    await queue.clear();
    workers = await queue.startWorkers(createProcessors(deps, { stop: stopper.signal, inFlight, onFailure }), {
      concurrency: tuneTo().workerConcurrency,
      // A job that is not from licet has no effect.
      onError: (error, job) =>
        job === null && isLicetError(error, "INPUT_INVALID") ? events.warned(error.message) : onFailure(error),
    });
    if (queue.place !== null) {
      const { runId } = spec;
      leave = elsewhere.join({
        ...{ runId, deps, inFlight, onFailure, stop: stopper.signal },
        ...{ queue: queue.place, local: workers },
      });
    }
    const taking = { runId: spec.runId, process, maxWaitingPages: countWaiting(), onPages: inFlight.wake };
    intake = startIntake(deps, period.list === null ? null : { ...period.list, ...taking }, {
      signal: stopper.signal,
      onFailure,
    });
    const dispatching: DispatchDeps = {
      ledger,
      clock,
      queue,
      inFlight,
      process,
      stageLimits: limits,
      dispatchLimits: () => ({
        ...tuning(),
        maxWaitingPages: countWaiting(),
        reportAtUses: limits.reportBatchSize,
      }),
      hasMore: intake.isOn,
    };
    return await dispatchUntilStopped(deps, dispatching, period, stopper);
  } catch (error) {
    const failure = toFailure(error);
    stopper.stop(failure);
    return failure;
  } finally {
    stopper.detach();
    await intake?.ended;
    await leave();
    // Aborts the jobs' signal. After a drain there are no jobs. After a stop they finish their started work.
    await workers?.close({ force: true });
  }
}

/** The catalogs of a run are batches of the ledger, and a list is taken in beside the dispatcher: only hints come before it. */
async function bringHints(deps: StageDeps, { spec: { runId, kind, sites }, process }: WorkPeriod): Promise<void> {
  const [site] = sites;
  if (KINDS[kind].pagesFrom === "notifications" && site !== undefined) {
    await admitHints(deps, { runId, process, host: site.host });
  }
}

async function dispatchUntilStopped(
  deps: StageDeps,
  dispatching: DispatchDeps,
  { spec, process }: WorkPeriod,
  stopper: Stopper,
): Promise<Stop | null> {
  const { order } = deps;
  const dispatched = () => dispatch(dispatching, spec.runId, stopper.signal);
  let end = await dispatched();
  // All is quoted now. Each round decides from the best down; what it approved is bought before the next one.
  while (end === "drained" && order !== "catalog" && !stopper.signal.aborted) {
    const round = await decideRound(deps, order, { ...spec, process }, stopper.signal);
    if (round === "done") {
      break;
    }
    end = round === "taken" ? "ended" : await dispatched();
  }
  if (end === "ended") {
    stopper.stopTaken();
  }
  const isCutShort = order !== "catalog" && stopper.signal.aborted;
  return end === "drained" && !isCutShort && stopper.stopped()?.state !== "failed" ? null : stopper.stopped();
}

async function reportLast(deps: StageDeps, { tuning }: Pick<Resources, "tuning">, signal: AbortSignal): Promise<void> {
  const flushed = await flushUsage(deps, { attempts: tuning.finalFlushAttempts, minUses: 1 }, signal);
  if (flushed.stopped !== null) {
    deps.events.warned(`not every use is reported: ${flushed.stopped}`);
  }
}
