/**
 * The dispatcher. It leases the next batches of a run, keeps a bounded number of their jobs in the queue, and ends when the
 * ledger has nothing left to do. The ledger is the source of truth. When the queue loses a job, its batch
 * is leased again. When the queue delivers a job twice, the second delivery finds its lease used up.
 */
import type { BatchStage, Lease } from "../../ledger/lease-ledger.ts";
import type { LeaseJob, Queue } from "../../queue/queue.ts";
import type { StageDeps } from "../stage-deps.ts";
import { keyOfJob } from "./in-flight-jobs.ts";

export interface DispatchLimits {
  /** Jobs of each stage that may be waiting or active at once: the first sites are bought from while the last ones are walked. */
  readonly maxOutstanding: Readonly<Record<BatchStage, number>>;
  /** Quote batches of one site that are worked on at once: more of them would be decided together, and would hold up what is bought. */
  readonly quotesPerSite: number;
  /** A site's walk pauses while this many of its pages wait. */
  readonly maxWaitingPages: number;
  /** How long to wait for the end of a job before the ledger is read again, ms. */
  readonly idleMs: number;
  /** A report is sent during a run when this many uses wait. */
  readonly reportAtUses: number;
}

/** The jobs that are in flight in this process, as the dispatcher sees them. */
export interface InFlightJobs {
  /** Resolves when a job has ended since the last call, or after `timeoutMs`, or when the signal aborts. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** Keys (`keyOfJob`) of the jobs that this process works on. */
  readonly active: ReadonlySet<string>;
  /** Keys of the jobs that have ended since the last call. */
  takeEnded(): readonly string[];
}

export interface DispatchDeps extends Pick<StageDeps, "ledger" | "clock"> {
  readonly queue: Queue;
  readonly inFlight: InFlightJobs;
  readonly stageLimits: Pick<StageDeps["limits"], "leaseMs">;
  /** Read each time: there is more under way with more workers. */
  readonly dispatchLimits: () => DispatchLimits;
  /** The name of the run's process in the ledger. Nothing is leased once another process works on the run. */
  readonly process: string;
  /** Says whether pages may still come from elsewhere than from batches. @default never */
  readonly hasMore?: () => boolean;
}

/** By their keys, the jobs that may be waiting or active, and when their leases end if nobody begins them. */
type Outstanding = Map<string, { readonly job: LeaseJob; readonly expiresAt: number }>;

export type DispatchEnd = "drained" | "stopped" | "ended";

/** Uses are counted and reported at most this often. One report job sends all full batches. */
const REPORT_INTERVAL_MS = 500;

/**
 * While no walk can go on, the ledger is asked for one at most this often, unless a walk ends: each time it looks at every site whose walk waits until
 * its pages are bought.
 */
const WALK_REST_MS = 100;

/** A report job is not a batch of the run, so it has no lease. Whoever works on it takes the flusher's lease. */
const REPORT_JOB: LeaseJob = { stage: "report", leaseId: null };

/**
 * Dispatches the jobs of a run until one of three things happens. `drained`: every batch of the run is done. `stopped`: the
 * signal aborted and the active jobs have ended. `ended`: another process ended the run with work left, or took the run over.
 * @throws LicetError QUEUE_UNREACHABLE, LEDGER_*
 */
export async function dispatch(deps: DispatchDeps, runId: string, signal: AbortSignal): Promise<DispatchEnd> {
  const outstanding: Outstanding = new Map();
  const reports = { restUntil: Number.NEGATIVE_INFINITY };
  const walks = { restUntil: Number.NEGATIVE_INFINITY };
  for (;;) {
    for (const key of deps.inFlight.takeEnded()) {
      if (outstanding.get(key)?.job.stage === "walk") {
        walks.restUntil = Number.NEGATIVE_INFINITY;
      }
      outstanding.delete(key);
    }
    forgetExpired(deps, outstanding);
    if (signal.aborted) {
      return waitForActiveJobs(deps);
    }
    await addReport(deps, outstanding, reports);
    const leased = await leaseMore(deps, runId, outstanding, walks);
    if (leased.length > 0) {
      const jobs = leased.map(({ leaseId, stage }) => ({ leaseId, stage }));
      for (const job of jobs) {
        addOutstanding(deps, outstanding, job);
      }
      await deps.queue.add(jobs);
      continue;
    }
    // Asked first: what came before the answer is in the batches.
    const hadMore = deps.hasMore?.() ?? false;
    const progress = await deps.ledger.readProgress({ runId, process: deps.process, now: deps.clock.now() });
    if (!progress.isRunning) {
      return "ended";
    }
    if (progress.openBatches === 0 && !hadMore) {
      return "drained";
    }
    const { idleMs } = deps.dispatchLimits();
    const untilReady = progress.nextReadyAt === null ? idleMs : progress.nextReadyAt - deps.clock.now();
    await deps.inFlight.wait(Math.max(1, Math.min(idleMs, untilReady)), signal);
    await requeueLost(deps, outstanding);
  }
}

async function leaseMore(
  deps: DispatchDeps,
  runId: string,
  outstanding: Outstanding,
  walks: { restUntil: number },
): Promise<readonly Lease[]> {
  const { maxOutstanding, maxWaitingPages, quotesPerSite } = deps.dispatchLimits();
  const now = deps.clock.now();
  const stages = countRoom(outstanding, maxOutstanding);
  if (now < walks.restUntil && outstanding.size > 0) {
    stages.walk = 0;
  }
  const limit = stages.walk + stages.quote + stages.acquire;
  if (limit === 0) {
    return [];
  }
  const leases = await deps.ledger.leaseBatches({
    runId,
    process: deps.process,
    limit,
    now,
    leaseMs: deps.stageLimits.leaseMs,
    maxWaitingPages,
    quotesPerSite,
    stages,
  });
  if (stages.walk > 0 && !leases.some(({ stage }) => stage === "walk")) {
    walks.restUntil = now + WALK_REST_MS;
  }
  return leases;
}

/**
 * Reports uses while the run goes on: one report job at a time, once a full batch of uses waits, with a pause between two jobs.
 * The pause matters when another process has the flusher's lease: the job then ends at once, and without a pause it would be
 * added again immediately.
 */
async function addReport(deps: DispatchDeps, outstanding: Outstanding, reports: { restUntil: number }): Promise<void> {
  const now = deps.clock.now();
  if (now < reports.restUntil || outstanding.has(keyOfJob(REPORT_JOB))) {
    return;
  }
  reports.restUntil = now + REPORT_INTERVAL_MS;
  const pending = await deps.ledger.countPendingUses();
  if (pending.unbatched < deps.dispatchLimits().reportAtUses) {
    return;
  }
  addOutstanding(deps, outstanding, REPORT_JOB);
  await deps.queue.add([REPORT_JOB]);
}

function countRoom(outstanding: Outstanding, most: DispatchLimits["maxOutstanding"]): Record<BatchStage, number> {
  const stages = [...outstanding.values()].map(({ job }) => job.stage);
  const roomOf = (stage: BatchStage) => Math.max(0, most[stage] - stages.filter((one) => one === stage).length);
  return { walk: roomOf("walk"), quote: roomOf("quote"), acquire: roomOf("acquire") };
}

function addOutstanding({ clock, stageLimits }: DispatchDeps, outstanding: Outstanding, job: LeaseJob): void {
  outstanding.set(keyOfJob(job), { job, expiresAt: clock.now() + stageLimits.leaseMs });
}

/**
 * A job that nobody has begun in the time of its lease has lost it: whoever gets it later drops it. It may have been lost on the way to a worker, and
 * keeps its place no longer.
 */
function forgetExpired({ clock, inFlight }: DispatchDeps, outstanding: Outstanding): void {
  const now = clock.now();
  for (const [key, { expiresAt }] of outstanding) {
    if (expiresAt <= now && !inFlight.active.has(key)) {
      outstanding.delete(key);
    }
  }
}

/**
 * Finds lost jobs. When the queue is empty and no job is active here, every outstanding job was lost (somebody emptied the
 * queue). Their batches are returned at once, before their leases expire.
 */
async function requeueLost(deps: DispatchDeps, outstanding: Outstanding): Promise<void> {
  const idle = [...outstanding].filter(([key]) => !deps.inFlight.active.has(key));
  if (idle.length === 0 || deps.inFlight.active.size > 0) {
    return;
  }
  const depth = await deps.queue.depth();
  if (Object.values(depth).some((jobs) => jobs > 0)) {
    return;
  }
  const ended = new Set(deps.inFlight.takeEnded());
  for (const [key, { job }] of idle) {
    outstanding.delete(key);
    const { leaseId } = job;
    if (!ended.has(key) && leaseId !== null) {
      await deps.ledger.returnBatch({ leaseId, notBefore: deps.clock.now() });
    }
  }
}

/** Leases nothing new. The active jobs see the signal themselves and end when their started work is finished. */
async function waitForActiveJobs(deps: DispatchDeps): Promise<"stopped"> {
  const never = new AbortController().signal;
  while (deps.inFlight.active.size > 0) {
    // Without this call the wait would return at once for jobs that ended before, and would keep the active jobs from running.
    deps.inFlight.takeEnded();
    await deps.inFlight.wait(deps.dispatchLimits().idleMs, never);
  }
  return "stopped";
}
