/**
 * The runs of the service. It starts them, so that two runs of one site never overlap, and stops them. Each run has its own queue and
 * its own events; ledger and gateway client are shared, so that the gateway's limits hold over all runs together.
 */
import type { RunCall } from "../agent/call-checks.ts";
import type { Resources } from "../agent/compose.ts";
import { EventBus } from "../agent/events.ts";
import { withOwnQueue } from "../agent/own-queue.ts";
import { runAgent } from "../agent/run-agent.ts";
import type { RunReport } from "../agent/run-report.ts";
import { isLicetError } from "../errors.ts";
import type { RunTrigger } from "../ledger/run-ledger.ts";

export interface StartRun {
  readonly trigger: RunTrigger;
  /** Empty: every configured site. A resumed run keeps its sites. */
  readonly hosts: readonly string[];
  readonly options?: Pick<RunCall, "resume" | "fresh" | "maxSpend" | "maxPages">;
}

/** How a run of the service ended. It never throws: an error of the run is `failed`. */
export type RunEnd =
  | { readonly kind: "ended"; readonly report: RunReport }
  | { readonly kind: "failed"; readonly error: Error };

export type StartedRun =
  | { readonly kind: "started"; readonly run: LiveRun }
  /** A run of one of these sites is at work, here or in another process. Nothing was begun. */
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
   * Starts a run. Resolves when it has begun, or when it cannot begin.
   * @throws LicetError what keeps a run from beginning: RUN_NOT_FOUND, USAGE_INVALID, QUEUE_UNREACHABLE, LEDGER_*
   */
  start(request: StartRun): Promise<StartedRun>;
  /** The runs at work, oldest first. */
  live(): readonly LiveRun[];
  /** Called with each run that begins. Returns a function that ends the calls. */
  onStart(listener: (run: LiveRun) => void): () => void;
  /** Begins nothing more, stops every run, and resolves when they have ended. */
  stop(): Promise<void>;
}

export function createRunManager(resources: Resources): RunManager {
  const live = new Map<string, LiveRun>();
  const listeners = new Set<(run: LiveRun) => void>();
  const ends = new Set<Promise<RunEnd>>();
  let stopping = false;

  async function start({ trigger, hosts, options = {} }: StartRun): Promise<StartedRun> {
    if (stopping) {
      return { kind: "busy", runId: null, detail: "the service is stopping: no run is begun" };
    }
    const own = withOwnQueue(resources);
    const events = new EventBus();
    const controller = new AbortController();
    const began = new Promise<{ runId: string; hosts: readonly string[] }>((resolve) => {
      events.on("run.started", resolve);
    });
    const work = runAgent(own.resources, events, {
      ...options,
      ...(hosts.length === 0 ? {} : { hosts }),
      trigger,
      signal: controller.signal,
    });
    const ended = work
      .then(
        (report): RunEnd => ({ kind: "ended", report }),
        (error: unknown): RunEnd => ({
          kind: "failed",
          error: error instanceof Error ? error : new Error(String(error)),
        }),
      )
      .finally(() => own.close());
    ends.add(ended);
    void ended.finally(() => ends.delete(ended));
    const first = await Promise.race([began, ended]);
    if ("kind" in first) {
      return refuse(first);
    }
    const run: LiveRun = { ...first, trigger, events, ended, stop: () => controller.abort() };
    live.set(run.runId, run);
    void ended.finally(() => live.delete(run.runId));
    for (const listener of listeners) {
      listener(run);
    }
    return { kind: "started", run };
  }

  return {
    start,
    live: () => [...live.values()],
    onStart: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: async () => {
      stopping = true;
      for (const run of live.values()) {
        run.stop();
      }
      await Promise.all(ends);
    },
  };
}

function refuse(end: RunEnd): StartedRun {
  if (end.kind === "failed" && isLicetError(end.error, "RUN_ALIVE")) {
    return { kind: "busy", runId: end.error.details.runId, detail: end.error.message };
  }
  if (end.kind === "failed") {
    throw end.error;
  }
  throw new Error("a run ended without a beginning");
}
