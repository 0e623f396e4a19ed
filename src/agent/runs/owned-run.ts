/**
 * A run that this process owns in the ledger, from its beginning to its end. The process keeps the run alive, finishes what dead processes have
 * left, and works in work periods (work-period.ts), of which the last one ends the run.
 *
 * A run of a command is one work period. A run of a service survives outages: what keeps it from going on ends the work period, the run pauses,
 * and the next work period begins when the outage is over. While a run pauses, it is running in the ledger and its heartbeats go on, so nobody
 * takes it over. It goes on like any run that was interrupted (`endRun`, `beginRun`): what was only reserved is decided anew, leases and
 * backoffs end, started purchases are probed.
 */
import { isLicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { RunSummary } from "../../ledger/ledger-reports.ts";
import type { Begun, TakenOver } from "../../ledger/run-ledger.ts";
import type { BuyingClock } from "../../pipeline/decide/buying-clock.ts";
import { probeKept } from "../../pipeline/probe/probe-started.ts";
import type { StageDeps, StageEvents } from "../../pipeline/stage-deps.ts";
import { NO_WORKERS_ELSEWHERE } from "../../pipeline/work/elsewhere.ts";
import { keepRun } from "../../pipeline/work/keep-run.ts";
import { createCommandPolicy, type OutagePolicy } from "../../pipeline/work/outage-policy.ts";
import { stoppedBy } from "../../run/stopped-by.ts";
import { backoffMs } from "../../time/backoff.ts";
import { createStageDeps, type Resources, type RunSink } from "../compose.ts";
import type { OpenedList } from "../lists/run-list.ts";
import { notingWaits } from "../waits/wait-of-error.ts";
import { beginRun, type RunWork, sitesOf } from "./begin-run.ts";
import { assertBack, createOutagePolicy, placeOf } from "./outages.ts";
import { failRun } from "./run-end.ts";
import type { TakenOverRun } from "./run-report.ts";
import { workPeriod } from "./work-period.ts";

/** The waits between two looks at what is away. */
const LOOK_AGAIN_MS = 1_000;
const MAX_LOOK_AGAIN_MS = 15_000;
/** After a work period of this length, the next outage is another one: the waits begin small again. */
const LONG_PERIOD_MS = 60_000;

/** What all work periods of a run share. */
export interface OwnedRun {
  readonly resources: Resources;
  readonly ledger: Ledger;
  readonly events: StageEvents;
  readonly options: RunWork;
  readonly buyingClock: BuyingClock;
  readonly sink: RunSink | undefined;
  /** The list that brings the run's pages; null when none is read. */
  readonly list: OpenedList | null;
  readonly signal: AbortSignal;
}

/** Each work period has a process name of its own in the ledger: it begins as after a process that is known to have ended. */
export interface Ownership {
  readonly begun: Extract<Begun, { kind: "begun" }>;
  readonly process: string;
}

export interface WorkedRun {
  readonly summary: RunSummary;
  readonly takenOver: readonly TakenOverRun[];
  /** What a walk of the whole catalog has shown of the globs. */
  readonly warnings: readonly string[];
}

/** @throws what ended the run as `failed` */
export async function workUntilEnd(run: OwnedRun, first: Ownership): Promise<WorkedRun> {
  const { resources, ledger, options, signal } = run;
  const { clock, tuning, processes } = resources;
  const { runId } = first.begun.spec;
  const takenOver: TakenOverRun[] = [];
  let own: Ownership | null = first;
  let looks = 0;
  while (own !== null) {
    const { process }: Ownership = own;
    const since = clock.now();
    const policy =
      options.outages === undefined
        ? notingWaits(createCommandPolicy(clock), resources.waits, runId)
        : createOutagePolicy(options.outages, clock, { runId, ending: signal });
    const kept = keepRun({ ledger, clock, limits: tuning.pipeline }, { runId, process }, signal);
    try {
      return { takenOver, ...(await workOnePeriod(run, own, { policy, takenOver, ending: kept.signal })) };
    } catch (error) {
      if (!policy.pausesFor(error)) {
        throw error;
      }
      looks = clock.now() - since < LONG_PERIOD_MS ? looks : 0;
      ({ next: own, looks } = await pause(run, own, { error, looks }));
    } finally {
      kept.stop();
      processes.end(process);
    }
  }
  return { summary: await ledger.readRun(runId), takenOver, warnings: [] };
}

async function workOnePeriod(
  { resources, ledger, events, options, buyingClock, sink, list, signal }: OwnedRun,
  { begun, process }: Ownership,
  {
    policy,
    ending,
    takenOver,
  }: { readonly policy: OutagePolicy; readonly ending: AbortSignal; readonly takenOver: TakenOverRun[] },
): Promise<Omit<WorkedRun, "takenOver">> {
  const { spec, resumed } = begun;
  // Each run has its own stage dependencies, because what happens to a site in a run that is taken over must stop the site only
  // there.
  const createDeps = () =>
    createStageDeps(resources, ledger, {
      sites: sitesOf(resources.config, spec),
      maxSpend: spec.maxSpend,
      order: spec.order,
      events,
      buyingClock,
      sink,
      outagePolicy: policy,
    });
  if (begun.takenOver.length > 0) {
    const others = await createDeps();
    try {
      for (const left of begun.takenOver) {
        events.warned(describeTakenOver(left));
      }
      for (const left of begun.takenOver) {
        takenOver.push(await takeOver(others, left, { spec, process }, ending));
      }
    } catch (error) {
      return failRun(others, { runId: spec.runId, process }, error);
    }
  }
  const deps = await createDeps();
  const period = { spec, process, list, user: signal, ending, elsewhere: options.elsewhere ?? NO_WORKERS_ELSEWHERE };
  const summary = await workPeriod(deps, resources, period);
  // A resumed run saw a part of the catalog before, in another process.
  return { summary, warnings: resumed ? [] : deps.globWatch.warnings() };
}

/** Probes what the run of a dead process had started, and ends that run. Its charges belong to it. */
async function takeOver(
  deps: StageDeps,
  { runId, state, released, started }: TakenOver,
  by: Pick<Ownership, "process"> & Pick<Ownership["begun"], "spec">,
  ending: AbortSignal,
): Promise<TakenOverRun> {
  const { ledger, clock } = deps;
  const { process } = by;
  if (started > 0 && (await probeKept(deps, { runId, process }, ending))) {
    const reason = `run ${by.spec.runId} took it over`;
    const end = state === "failed" ? state : "interrupted";
    await ledger.endRun({ runId, state: end, reason, now: clock.now(), process });
  }
  const { pages } = await ledger.readRun(runId);
  return { runId, released, probed: started, inDoubt: pages.inDoubt };
}

function describeTakenOver({ runId, state, released, started, isResumable }: TakenOver): string {
  const how = state === "running" ? "ended unexpectedly" : state === "failed" ? "had failed" : "was interrupted";
  const left =
    released + started === 0
      ? "it left nothing open"
      : `${released} reserved pages are released, ${started} started pages are probed`;
  return isResumable
    ? `run ${runId} ${how}: ${left}; it can still be resumed: licet run --resume ${runId}`
    : `run ${runId} ${how} and is taken over: ${left}`;
}

/**
 * Waits until an outage is over, and owns the run for the next work period.
 * @param outage.looks how often it was looked before whether it is over
 * @returns `next`: null when the run is over or belongs to another process
 */
async function pause(
  run: OwnedRun,
  own: Ownership,
  outage: { readonly error: unknown; readonly looks: number },
): Promise<{ readonly next: Ownership | null; readonly looks: number }> {
  const { resources, ledger, events, options, signal } = run;
  const { clock, random } = resources;
  const { spec } = own.begun;
  const deadlineAt = spec.deadlineAt ?? Number.POSITIVE_INFINITY;
  let place = placeOf(outage.error);
  for (let looks = outage.looks + 1; ; looks += 1) {
    const waitMs = backoffMs(looks, LOOK_AGAIN_MS, MAX_LOOK_AGAIN_MS, random);
    await clock.sleep(Math.max(0, Math.min(waitMs, deadlineAt - clock.now())), signal);
    if (signal.aborted || clock.now() >= deadlineAt) {
      await endPaused(run, own);
      return { next: null, looks };
    }
    try {
      await assertBack(place, { resources, ledger, warned: events.warned }, { spec, process: own.process });
      const next = await beginNext(run, own);
      endOutage(options, place, spec.runId);
      return { next, looks };
    } catch (error) {
      const now = placeOf(error);
      if (now === null || !isLicetError(error)) {
        throw error;
      }
      options.outages?.begin(error, spec.runId);
      if (now !== place) {
        endOutage(options, place, spec.runId);
      }
      place = now;
    }
  }
}

function endOutage({ outages }: RunWork, place: ReturnType<typeof placeOf>, runId: string): void {
  if (place !== null) {
    outages?.end(place, runId);
  }
}

/** @returns null when the run is over, or another process works on it */
async function beginNext({ resources, ledger, options }: OwnedRun, own: Ownership): Promise<Ownership | null> {
  const { clock, processes } = resources;
  const { runId } = own.begun.spec;
  const reason = "it goes on after an outage";
  await ledger.endRun({
    runId,
    state: "interrupted",
    reason,
    endedBy: "service",
    now: clock.now(),
    process: own.process,
  });
  processes.end(own.process);
  const process = processes.begin();
  try {
    const which = { kind: "named", runId } as const;
    // Its own clock goes on: `BuyingClock` compares with what it has said before.
    const begun = await beginRun(resources, ledger, { which, checksClock: false, sites: [], process, options });
    if (begun.kind === "begun") {
      return { begun, process };
    }
  } catch (error) {
    if (!isLicetError(error, "RUN_NOT_FOUND")) {
      processes.end(process);
      throw error;
    }
  }
  processes.end(process);
  return null;
}

/** Records the end of a run that pauses, if the ledger can be written. If not, the run is resumed after this process has ended. */
async function endPaused({ resources, ledger, signal }: OwnedRun, { begun, process }: Ownership): Promise<void> {
  const end = signal.aborted
    ? ({ state: "interrupted", reason: "it was interrupted", ...stoppedBy(signal) } as const)
    : ({ state: "max_duration", reason: "the run reached its longest duration", endedBy: "itself" } as const);
  try {
    await ledger.endRun({ runId: begun.spec.runId, ...end, now: resources.clock.now(), process });
  } catch (error) {
    if (placeOf(error) === null) {
      throw error;
    }
  }
}
