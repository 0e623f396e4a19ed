/**
 * The runs of the service: which of them are at work. It starts them, so that two runs of one site never overlap, and stops them. Each run has
 * its own queue and its own events; ledger and gateway client are shared, so that the gateway's limits hold over all runs together.
 *
 * Between processes, the ledger decides about the sites when a run begins (`beginRun`). Here it is decided before, so that a run that waits for
 * its turn has its sites too, and webhook runs give way.
 */
import pLimit from "p-limit";
import type { ActedBy } from "../../act/act.ts";
import type { Resources } from "../../agent/compose.ts";
import { EventBus } from "../../agent/events/events.ts";
import { withOwnQueue } from "../../agent/own-queue.ts";
import type { RunWork } from "../../agent/runs/begin-run.ts";
import { createOutages, type Outage, type Outages } from "../../agent/runs/outages.ts";
import { runAgent } from "../../agent/runs/run-agent.ts";
import type { RunReport } from "../../agent/runs/run-report.ts";
import { tuneFor } from "../../agent/tuning.ts";
import { assertBug, isLicetError } from "../../errors.ts";
import type { RunTrigger } from "../../ledger/run-ledger.ts";
import type { HeldSlot } from "../../ledger/schedule-ledger.ts";
import { NO_WORKERS_ELSEWHERE, type WorkersElsewhere } from "../../pipeline/work/elsewhere.ts";
import { STOPPED_BY_SERVICE } from "../../run/stopped-by.ts";
import { type Busy, type Place, takeSites, whenLeft } from "./run-places.ts";
import { hostsOf } from "./run-sites.ts";

/** Runs at work at once. More of them wait in the order in which they were started. */
export const MAX_RUNS_AT_ONCE = 8;

export interface StartRun {
  readonly trigger: RunTrigger;
  /** The slot that asks for it: where another service has it by now, no run begins. */
  readonly slot?: HeldSlot;
  /** Empty: every configured site. A resumed run keeps its sites, and a plan names its own. */
  readonly hosts: readonly string[];
  readonly options?: Omit<RunWork, "trigger" | "slot" | "hosts" | "signal" | "outages">;
}

/** How a run of the service ended. It never throws: an error of the run is `failed`. */
export type RunEnd =
  | { readonly kind: "ended"; readonly report: RunReport }
  | { readonly kind: "failed"; readonly error: Error };

export type StartedRun = { readonly kind: "started"; readonly run: LiveRun } | Busy;

export interface LiveRun {
  readonly runId: string;
  readonly hosts: readonly string[];
  readonly trigger: RunTrigger;
  /** The events of this run alone. */
  readonly events: EventBus;
  readonly ended: Promise<RunEnd>;
  /** Ends it as interrupted: started purchases are finished first. @param who the person who stops it */
  stop(who: ActedBy): void;
}

export interface RunManager {
  /**
   * Starts a run. Resolves when it has begun, or when it cannot begin. A run waits for its turn while `MAX_RUNS_AT_ONCE` are at work.
   *
   * A webhook run (`trigger: "webhook"`) gives way: a start with another trigger stops it after its batches in flight, waits for its end,
   * and begins then. A start with the trigger `webhook` waits while another run of its site is at work in this service.
   * @throws LicetError what keeps a run from beginning: RUN_NOT_FOUND, USAGE_INVALID, LEDGER_*
   */
  start(request: StartRun): Promise<StartedRun>;
  /** The runs at work, oldest first. */
  live(): readonly LiveRun[];
  /** What makes runs wait at present: queue, gateway or ledger is away. Empty: nothing. No run ends for it. */
  outages(): readonly Outage[];
  /** Called when an outage begins, and when it is over. Returns a function that ends the calls. */
  onOutage: Outages["onChange"];
  /** Called with each run that begins. Returns a function that ends the calls. */
  onStart(listener: (run: LiveRun) => void): () => void;
  /** Called with each start that an error kept from beginning a run. Returns a function that ends the calls. */
  onFailedStart(listener: (start: Pick<StartRun, "trigger">) => void): () => void;
  /** Begins nothing more, stops every run, and resolves when they have ended. */
  stop(): Promise<void>;
}

type RunPlace = Place<LiveRun>;

export function createRunManager(shared: Resources, elsewhere: WorkersElsewhere = NO_WORKERS_ELSEWHERE): RunManager {
  const resources: Resources = { ...shared, tuning: tuneFor(shared.tuning, shared.config.serve.workers) };
  const { clock } = resources;
  /** In the order in which they were taken. */
  const places = new Set<RunPlace>();
  const closing = new AbortController();
  const listeners = new Set<(run: LiveRun) => void>();
  const failedStartListeners = new Set<Parameters<RunManager["onFailedStart"]>[0]>();
  const outages = createOutages(clock, resources.waits);
  const line = pLimit(MAX_RUNS_AT_ONCE);
  const live = () => [...places].flatMap(({ run }) => run ?? []);

  function leave(place: RunPlace): void {
    places.delete(place);
    place.leaving.abort();
  }

  /** Works on one run, from its beginning to its end. `reportStart` gets its beginning. */
  async function work(request: StartRun, place: RunPlace, reportStart: (started: StartedRun) => void): Promise<void> {
    const begun = await beginApart(resources, request, { signal: place.stopping.signal, outages, elsewhere });
    if (!("events" in begun)) {
      reportStart(begun);
      return;
    }
    const { runId, hosts, events, releaseWarnings } = begun;
    // Whoever waits for the end finds the sites free.
    const ended = begun.ended.then((end) => {
      leave(place);
      outages.forget(runId);
      return end;
    });
    const run: LiveRun = {
      runId,
      hosts,
      trigger: place.trigger,
      events,
      ended,
      stop: (who) => place.stopping.abort(who),
    };
    Object.assign(place, { run, hosts });
    for (const listener of listeners) {
      listener(run);
    }
    releaseWarnings();
    reportStart({ kind: "started", run });
    await ended;
  }

  const start = async (request: StartRun): Promise<StartedRun> => {
    const { trigger } = request;
    const hosts = await hostsOf(resources, request);
    const place = await takeSites(places, { resources, closing: closing.signal }, { trigger, hosts });
    if ("kind" in place) {
      return place;
    }
    return new Promise<StartedRun>((resolve, reject) => {
      void line(async () => {
        if (place.stopping.signal.aborted) {
          const detail = `the run of ${place.hosts.join(", ")} was stopped before it had begun`;
          resolve({ kind: "busy", runId: null, detail });
          return;
        }
        await work(request, place, resolve);
      })
        .catch(reject)
        .finally(() => leave(place));
    });
  };

  return {
    start: async (request) => {
      try {
        return await start(request);
      } catch (error) {
        for (const listener of failedStartListeners) {
          listener(request);
        }
        throw error;
      }
    },
    live,
    outages: outages.current,
    onOutage: outages.onChange,
    onStart: (listener) => listenWith(listeners, listener),
    onFailedStart: (listener) => listenWith(failedStartListeners, listener),
    stop: async () => {
      closing.abort();
      for (const { stopping } of places) {
        stopping.abort(STOPPED_BY_SERVICE);
      }
      while (places.size > 0) {
        await Promise.all([...places].map(whenLeft));
      }
    },
  };
}

function listenWith<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

interface BegunApart extends Pick<LiveRun, "runId" | "hosts" | "events" | "ended"> {
  /** Tells what the run warned of before anybody could listen, such as the runs that it takes over. */
  readonly releaseWarnings: () => void;
}

/** Begins a run with a queue and events of its own. @throws what kept it from beginning */
async function beginApart(
  resources: Resources,
  { trigger, slot, hosts, options }: StartRun,
  service: Required<Pick<RunWork, "signal" | "outages" | "elsewhere">>,
): Promise<BegunApart | Busy> {
  // What a connection of the queue says of itself is reported as an outage, once for all runs.
  const own = withOwnQueue({ ...resources, openQueue: () => resources.openQueue(() => {}) });
  const events = new EventBus();
  const releaseWarnings = events.hold("warning");
  const began = new Promise<Pick<BegunApart, "runId" | "hosts">>((resolve) => {
    events.on("run.started", resolve);
  });
  const ended = runAgent(own.resources, events, {
    ...options,
    ...service,
    trigger,
    slot,
    ...(options?.plan === undefined ? { hosts } : {}),
  })
    .then(
      (report): RunEnd => ({ kind: "ended", report }),
      (error: unknown): RunEnd => ({
        kind: "failed",
        error: error instanceof Error ? error : new Error(String(error)),
      }),
    )
    .finally(() => own.close());
  const first = await Promise.race([began, ended]);
  return "kind" in first ? refuse(first) : { runId: first.runId, hosts: first.hosts, events, ended, releaseWarnings };
}

/** @throws what kept the run from beginning */
function refuse(end: RunEnd): Busy {
  assertBug(end.kind === "failed", "a run ended without a beginning");
  if (!isLicetError(end.error, "RUN_ALIVE")) {
    throw end.error;
  }
  return { kind: "busy", runId: end.error.details.runId, detail: end.error.message };
}
