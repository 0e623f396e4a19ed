/**
 * The runs of the service. It starts them, so that two runs of one site never overlap, and stops them. Each run has its own queue and
 * its own events; ledger and gateway client are shared, so that the gateway's limits hold over all runs together.
 */
import pLimit from "p-limit";
import { chooseSites } from "../../agent/calls/call-settings.ts";
import type { Resources } from "../../agent/compose.ts";
import { EventBus } from "../../agent/events/events.ts";
import { withOwnQueue } from "../../agent/own-queue.ts";
import type { RunWork } from "../../agent/runs/begin-run.ts";
import { createOutages, type Outage, type Outages } from "../../agent/runs/outages.ts";
import { runAgent } from "../../agent/runs/run-agent.ts";
import type { RunReport } from "../../agent/runs/run-report.ts";
import { tuneFor } from "../../agent/tuning.ts";
import { isLicetError } from "../../errors.ts";
import type { RunTrigger } from "../../ledger/run-ledger.ts";
import type { HeldSlot } from "../../ledger/schedule-ledger.ts";
import { createSitePlaces, type SitePlace } from "./site-places.ts";

/** Runs at work at once. More of them wait in the order in which they were started. */
export const MAX_RUNS_AT_ONCE = 8;

export interface StartRun {
  readonly trigger: RunTrigger;
  /** The slot that asks for it: where another service has it by now, no run begins. */
  readonly slot?: HeldSlot;
  /** Empty: every configured site. A resumed run keeps its sites. */
  readonly hosts: readonly string[];
  readonly options?: Pick<RunWork, "resume" | "fresh" | "maxSpend" | "maxPages" | "asker">;
}

/** How a run of the service ended. It never throws: an error of the run is `failed`. */
export type RunEnd =
  | { readonly kind: "ended"; readonly report: RunReport }
  | { readonly kind: "failed"; readonly error: Error };

export type StartedRun =
  | { readonly kind: "started"; readonly run: LiveRun }
  /** A run of one of these sites is at work, here or in another process, or the service stops. Nothing was begun. */
  | { readonly kind: "busy"; readonly runId: string | null; readonly detail: string };

export interface LiveRun {
  readonly runId: string;
  readonly hosts: readonly string[];
  readonly trigger: RunTrigger;
  /** The events of this run alone. */
  readonly events: EventBus;
  readonly ended: Promise<RunEnd>;
  /** Ends it as interrupted: started purchases are finished first. */
  stop(): void;
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

export function createRunManager(shared: Resources): RunManager {
  const resources: Resources = { ...shared, tuning: tuneFor(shared.tuning, shared.config.serve.workers) };
  const live = new Map<string, LiveRun>();
  const listeners = new Set<(run: LiveRun) => void>();
  const failedStartListeners = new Set<Parameters<RunManager["onFailedStart"]>[0]>();
  const places = createSitePlaces(resources.clock);
  const outages = createOutages(resources.clock);
  const line = pLimit(MAX_RUNS_AT_ONCE);

  /** Works on one run, from its beginning to its end. `reportStart` gets its beginning. */
  async function work(request: StartRun, place: SitePlace, reportStart: (started: StartedRun) => void): Promise<void> {
    const { trigger, slot, hosts, options = {} } = request;
    // What a connection of the queue says of itself is reported as an outage, once for all runs.
    const own = withOwnQueue({ ...resources, openQueue: () => resources.openQueue(() => {}) });
    const events = new EventBus();
    const releaseWarnings = holdWarnings(events);
    const began = new Promise<{ runId: string; hosts: readonly string[] }>((resolve) => {
      events.on("run.started", resolve);
    });
    const over = runAgent(own.resources, events, {
      ...options,
      hosts: hosts.length === 0 ? undefined : hosts,
      trigger,
      ...(slot === undefined ? {} : { slot }),
      signal: place.signal,
      outages,
    })
      .then(
        (report): RunEnd => ({ kind: "ended", report }),
        (error: unknown): RunEnd => ({
          kind: "failed",
          error: error instanceof Error ? error : new Error(String(error)),
        }),
      )
      .finally(() => own.close());
    const first = await Promise.race([began, over]);
    if ("kind" in first) {
      reportStart(refuse(first));
      return;
    }
    const { runId } = first;
    // Whoever waits for the end finds the sites free.
    const ended = over.then((end) => {
      live.delete(runId);
      place.leave();
      if (live.size === 0) {
        // Nobody looks any more whether it is over.
        outages.forget();
      }
      return end;
    });
    const run: LiveRun = { runId, hosts: first.hosts, trigger, events, ended, stop: place.stop };
    place.begun(run);
    live.set(run.runId, run);
    for (const listener of listeners) {
      listener(run);
    }
    releaseWarnings();
    reportStart({ kind: "started", run });
    await ended;
  }

  const start = async (request: StartRun): Promise<StartedRun> => {
    const taken = await places.take({ trigger: request.trigger, hosts: await hostsOf(resources, request) });
    if (taken.kind === "busy") {
      return taken;
    }
    const { place } = taken;
    return new Promise<StartedRun>((resolve, reject) => {
      void line(async () => (place.signal.aborted ? resolve(gaveWay(place)) : await work(request, place, resolve)))
        .catch(reject)
        .finally(place.leave);
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
    live: () => [...live.values()],
    outages: outages.current,
    onOutage: outages.onChange,
    onStart: (listener) => listenWith(listeners, listener),
    onFailedStart: (listener) => listenWith(failedStartListeners, listener),
    stop: () => places.close(),
  };
}

function listenWith<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The sites that a run will work on. Of the newest run that can be resumed, only the ledger knows them: then none. */
async function hostsOf({ config, ledger }: Resources, { hosts, options = {} }: StartRun): Promise<readonly string[]> {
  const { resume } = options;
  if (resume === undefined) {
    return chooseSites(config, hosts).map(({ host }) => host);
  }
  return resume === "newest" ? [] : (await (await ledger("existing")).readRun(resume)).sites.map(({ host }) => host);
}

function gaveWay({ hosts }: SitePlace): StartedRun {
  return { kind: "busy", runId: null, detail: `the run of ${hosts.join(", ")} was stopped before it had begun` };
}

/** @throws what kept the run from beginning */
function refuse(end: RunEnd): StartedRun {
  if (end.kind === "failed" && isLicetError(end.error, "RUN_ALIVE")) {
    return { kind: "busy", runId: end.error.details.runId, detail: end.error.message };
  }
  if (end.kind === "failed") {
    throw end.error;
  }
  throw new Error("a run ended without a beginning");
}

/** Keeps what a run warns of before anybody can listen, such as the runs that it takes over. @returns a function that tells it */
function holdWarnings(events: EventBus): () => void {
  const held: string[] = [];
  const hold = ({ message }: { readonly message: string }) => void held.push(message);
  events.on("warning", hold);
  return () => {
    events.off("warning", hold);
    for (const message of held) {
      events.emit("warning", { message });
    }
  };
}
