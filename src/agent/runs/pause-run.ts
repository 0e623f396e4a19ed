/** How a run of a service waits for the end of an outage, and begins again. */
import { isLicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Begun } from "../../ledger/run-ledger.ts";
import type { BuyingClock } from "../../pipeline/decide/buying-clock.ts";
import type { StageEvents } from "../../pipeline/stage-deps.ts";
import { keepRun } from "../../pipeline/work/keep-run.ts";
import { stoppedBy } from "../../run/stopped-by.ts";
import { backoffMs } from "../../time/backoff.ts";
import type { Resources, RunSink } from "../compose.ts";
import type { OpenedList } from "../lists/run-list.ts";
import { beginRun, type RunWork } from "./begin-run.ts";
import { type OutagePlace, placeOf } from "./outages.ts";

/** The waits between two looks at what is away. */
const LOOK_AGAIN_MS = 1_000;
const MAX_LOOK_AGAIN_MS = 15_000;
/** A run that has begun, with all that its work periods share. */
export interface BegunRun {
  readonly resources: Resources;
  readonly ledger: Ledger;
  readonly events: StageEvents;
  readonly options: RunWork;
  readonly buyingClock: BuyingClock;
  readonly sink?: RunSink;
  /** The list that brings the run's pages; null when none is read. */
  readonly list: OpenedList | null;
  readonly signal: AbortSignal;
}

export type Beginning = Extract<Begun, { kind: "begun" }>;

/** Each work period has a process name of its own in the ledger: it begins as after a process that is known to have ended. */
export interface WorkPeriod {
  readonly begun: Beginning;
  readonly process: string;
}

interface Pausing {
  readonly error: unknown;
  /** How often it was looked before whether the outage is over. */
  readonly looks: number;
}

/** Waits until the outage is over, and begins the next work period. `next` is null when the run is over or belongs to another process. */
export async function pauseRun(
  run: BegunRun,
  period: WorkPeriod,
  { error, looks: before }: Pausing,
): Promise<{ readonly next: WorkPeriod | null; readonly looks: number }> {
  const { resources, ledger, signal } = run;
  const { clock, tuning } = resources;
  const { runId, deadlineAt } = period.begun.spec;
  const kept = keepRun({ ledger, clock, limits: tuning.pipeline }, { runId, process: period.process }, signal);
  let failure = error;
  try {
    for (let looks = before + 1; ; looks += 1) {
      await clock.sleep(waitBeforeLook(run, looks, deadlineAt), signal);
      const isLate = deadlineAt !== null && clock.now() >= deadlineAt;
      if (signal.aborted || isLate) {
        await endPaused(run, period, { state: signal.aborted ? "interrupted" : "max_duration" });
        return { next: null, looks };
      }
      try {
        await assertBack(run, period, placeOf(failure));
        const next = await beginNext(run, period);
        endOutage(run, placeOf(failure));
        return { next, looks };
      } catch (again) {
        if (placeOf(again) === null || !isLicetError(again)) {
          throw again;
        }
        run.options.outages?.begin(again);
        if (placeOf(again) !== placeOf(failure)) {
          endOutage(run, placeOf(failure));
        }
        failure = again;
      }
    }
  } finally {
    kept.stop();
  }
}

function waitBeforeLook({ resources: { clock, random } }: BegunRun, looks: number, deadlineAt: number | null): number {
  const waitMs = backoffMs(looks, LOOK_AGAIN_MS, MAX_LOOK_AGAIN_MS, random);
  return deadlineAt === null ? waitMs : Math.max(0, Math.min(waitMs, deadlineAt - clock.now()));
}

function endOutage({ options }: BegunRun, place: OutagePlace | null): void {
  if (place !== null) {
    options.outages?.end(place);
  }
}

/** Throws while a place is away. */
async function assertBack(
  { resources, ledger, events }: BegunRun,
  { begun, process }: WorkPeriod,
  place: OutagePlace | null,
): Promise<void> {
  const { clock, tuning } = resources;
  switch (place) {
    case "queue":
      await (await resources.queue(events.warned)).depth();
      return;
    case "gateway":
      await assertGatewayAnswers(
        resources,
        begun.spec.sites.map(({ host }) => host),
      );
      return;
    case "ledger":
      await ledger.checkRoom();
      await ledger.renewRun({ runId: begun.spec.runId, process, aliveUntil: clock.now() + tuning.pipeline.leaseMs });
      return;
    case null:
      return;
    default:
      return place satisfies never;
  }
}

/** Sites whose catalogs are asked for: that of one may be broken. */
const MAX_SITES_ASKED = 3;

/** Any answer will do, also a refusal. What it means is decided where it matters. */
async function assertGatewayAnswers(resources: Resources, hosts: readonly string[]): Promise<void> {
  const gateway = await resources.gateway();
  let failure: unknown = null;
  for (const host of hosts.slice(0, MAX_SITES_ASKED)) {
    try {
      await gateway.listCatalog({ host, pageToken: null, pageSize: 1 });
      return;
    } catch (error) {
      if (placeOf(error) !== "gateway") {
        return;
      }
      failure = error;
    }
  }
  throw failure;
}

/** @returns null when the run is over, or another process works on it */
async function beginNext(run: BegunRun, { begun, process }: WorkPeriod): Promise<WorkPeriod | null> {
  const { resources, ledger, options } = run;
  const { clock, processes } = resources;
  const { runId } = begun.spec;
  const reason = "it goes on after an outage";
  await ledger.endRun({ runId, state: "interrupted", reason, endedBy: "service", now: clock.now(), process });
  processes.end(process);
  const next = processes.begin();
  try {
    const again = await beginRun(resources, ledger, {
      which: { kind: "named", runId },
      sites: [],
      process: next,
      options,
    });
    if (again.kind === "begun") {
      return { begun: again, process: next };
    }
  } catch (error) {
    if (!isLicetError(error, "RUN_NOT_FOUND")) {
      processes.end(next);
      throw error;
    }
  }
  processes.end(next);
  return null;
}

/** Records the end of a run that pauses, if the ledger can be written. If not, the run is resumed after this process has ended. */
async function endPaused(
  { resources, ledger, signal }: BegunRun,
  { begun, process }: WorkPeriod,
  { state }: { readonly state: "interrupted" | "max_duration" },
): Promise<void> {
  const reason = state === "interrupted" ? "it was interrupted" : "the run reached its longest duration";
  try {
    const endedBy = state === "interrupted" ? stoppedBy(signal) : "itself";
    await ledger.endRun({ runId: begun.spec.runId, state, reason, endedBy, now: resources.clock.now(), process });
  } catch (error) {
    if (placeOf(error) === null) {
      throw error;
    }
  }
}
