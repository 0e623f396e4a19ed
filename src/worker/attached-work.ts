/** The work of one run that a worker takes part in: its jobs come from the run's queue, and each is begun and ended with the service. */
import { type JobContext, toLeaseProcessor } from "../../jobs/outcome.ts";
import { reportJob } from "../../jobs/report.job.ts";
import { type ErrorCode, isLicetError, type LicetError } from "../errors.ts";
import { toBareFailure } from "../ledger/messages/failure.ts";
import { acquire } from "../pipeline/acquire/acquire.ts";
import { quoteFor } from "../pipeline/quote/quote.ts";
import type { WorkerDeps } from "../pipeline/stage-deps.ts";
import { createInFlightRegistry, type InFlightRegistry } from "../pipeline/work/in-flight-jobs.ts";
import type { JobOutcome, JobProcessor, LeaseJob } from "../queue/queue.ts";
import { createWorkerDeps, type WorkerTools } from "./worker-deps.ts";
import type { BegunJob, RunTerms, WORKER_STAGES, WorkerPort } from "./worker-port.ts";

export interface AttachedWork {
  readonly processors: Readonly<Record<(typeof WORKER_STAGES)[number], JobProcessor>>;
  /** Begins nothing more: purchases that are started are finished. */
  stop(): void;
  /** Jobs under way, from before the service begins them until it has ended them. */
  readonly jobs: number;
}

/** Failures of the way to the service: they say nothing about the run, whose owner leases the batch again. */
const OF_THE_WAY: ReadonlySet<ErrorCode> = new Set([
  "SERVICE_UNREACHABLE",
  "SERVICE_STOPPING",
  "SERVICE_LOST",
  "SERVICE_BUSY",
  "WORKER_EXPIRED",
  "INTERRUPTED",
]);

export interface AttachOptions {
  readonly work: string;
  readonly tools: WorkerTools;
  /** A bug, which the service is told as a failure of the run. */
  readonly toOperating: (bug: unknown) => LicetError;
  /** Nobody knows whether the service has begun or ended a job: it counts as under way for as long as the session lasts. */
  readonly onLost: (error: LicetError) => void;
}

export function attachWork({ work, tools, toOperating, onLost }: AttachOptions): AttachedWork {
  const { port, clock } = tools;
  const stopping = new AbortController();
  const inFlight = createInFlightRegistry(clock);
  let deps: WorkerDeps | null = null;
  let underWay = 0;
  let report: { readonly process: JobProcessor; failure: LicetError | null } | null = null;

  /** One report job goes on where the last one ended: it remembers that the gateway refuses reports. */
  const reporting = (shared: WorkerDeps) => {
    if (report === null) {
      const context = contextOf(inFlight, stopping.signal, (error) => {
        (report as { failure: LicetError | null }).failure = error;
      });
      report = { process: reportJob(shared, context), failure: null };
    }
    return report;
  };

  async function workOn(begun: BegunJob, job: LeaseJob, signal: AbortSignal): Promise<Worked> {
    deps ??= createWorkerDeps(tools, begun.terms as RunTerms, work, stopping.signal);
    if (begun.stage === "report") {
      const reported = reporting(deps);
      const outcome = await reported.process(job, signal);
      const { failure } = reported;
      reported.failure = null;
      return { outcome, failure, isEnded: false };
    }
    let failure: LicetError | null = null;
    let isEnded = false;
    const context = contextOf(inFlight, stopping.signal, (error) => {
      failure = error;
    });
    const onEnded = () => {
      isEnded = true;
    };
    const stage =
      begun.stage === "quote" ? quoteStage(tools, deps, begun, onEnded) : acquireStage(deps, begun, onEnded);
    return { outcome: await toLeaseProcessor(context, stage)(job, signal), failure, isEnded };
  }

  const doJob: JobProcessor = async (job, signal) => {
    const named = { work, job };
    const begun = await port.beginJob(named);
    if (begun === null) {
      return "drop";
    }
    let worked: Worked = { outcome: "drop", failure: null, isEnded: false };
    try {
      worked = await workOn(begun, job, signal);
    } catch (bug) {
      worked = { outcome: "drop", failure: isLicetError(bug) ? bug : toOperating(bug), isEnded: false };
    }
    const { outcome, failure, isEnded } = worked;
    const isOfTheWay = failure !== null && OF_THE_WAY.has(failure.code);
    if (isOfTheWay) {
      // What its jobs share says that nothing more is bought, as when a run ends. This run goes on.
      deps = null;
    }
    if (!isEnded) {
      const isOfTheRun = failure !== null && !isOfTheWay;
      await port.endJob({ ...named, outcome, failure: isOfTheRun ? toBareFailure(failure) : null });
    }
    return outcome;
  };

  const process: JobProcessor = async (job, signal) => {
    underWay += 1;
    try {
      return await doJob(job, signal);
    } catch (error) {
      if (!isLicetError(error)) {
        throw error;
      }
      onLost(error);
      return "drop";
    } finally {
      underWay -= 1;
    }
  };

  return {
    processors: { quote: process, acquire: process, report: process },
    stop: () => stopping.abort(),
    get jobs() {
      return underWay;
    },
  };
}

interface Worked {
  readonly outcome: JobOutcome;
  readonly failure: LicetError | null;
  /** The service has ended the job with the last call of its batch. */
  readonly isEnded: boolean;
}

const contextOf = (inFlight: InFlightRegistry, stop: AbortSignal, onFailure: JobContext["onFailure"]): JobContext => ({
  stop,
  inFlight,
  onFailure,
});

type Work = Parameters<typeof toLeaseProcessor>[1];

/** What the service opened with the job need not be asked for again. It ends the job with the call that ends the batch. */
function quoteStage(
  { port }: WorkerTools,
  deps: WorkerDeps,
  begun: Extract<BegunJob, { stage: "quote" }>,
  onEnded: () => void,
): Work {
  const opened: WorkerDeps = { ...deps, ledger: { ...deps.ledger, openQuoteBatch: async () => begun.opened } };
  const owner = {
    intentOf: () => begun.intent,
    decide: async ({ leaseId, answers }: Parameters<WorkerPort["decideQuoted"]>[0]) => {
      await port.decideQuoted({ leaseId, answers });
      onEnded();
    },
  };
  return (leaseId, signal) => quoteFor(owner, opened, leaseId, signal);
}

function acquireStage(deps: WorkerDeps, begun: Extract<BegunJob, { stage: "acquire" }>, onEnded: () => void): Work {
  const finishAcquireBatch = async (leaseId: string) => {
    const isFinished = await deps.ledger.finishAcquireBatch(leaseId);
    if (isFinished) {
      onEnded();
    }
    return isFinished;
  };
  const ledger = { ...deps.ledger, openAcquireBatch: async () => begun.opened, finishAcquireBatch };
  return (leaseId, signal) => acquire({ ...deps, ledger }, leaseId, signal);
}
