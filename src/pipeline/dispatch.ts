/**
 * The dispatcher: leases the next batches of a run, keeps a bounded number of their jobs in the queue, and ends when the
 * ledger says that nothing is left (design § The pipeline). The ledger is the truth: a job that the queue lost is leased
 * again, and a job that the queue delivers twice finds its lease used up.
 */
import type { Lease } from "../ledger/run-ledger.ts";
import type { LeaseJob, Queue } from "../queue/queue.ts";
import type { StageDeps } from "./stage-deps.ts";

export interface DispatchLimits {
  /** Jobs in the queue and at work at once. */
  readonly maxOutstanding: number;
  /** A site's walk pauses while so many of its pages wait. */
  readonly maxWaitingPages: number;
  /** How long to wait for the end of a job before looking at the ledger again, ms. */
  readonly idleMs: number;
  /** Uses that wait before a report is sent during a run. */
  readonly reportAtUses: number;
}

/** What the dispatcher knows of the jobs that are in flight in this process. */
export interface InFlightJobs {
  /** Resolves when a job has ended since the last call, or after `timeoutMs`, or when the signal aborts. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** Lease ids of jobs that are being worked on in this process. */
  readonly active: ReadonlySet<string>;
  /** Lease ids whose jobs have ended since the last call. */
  takeEnded(): readonly string[];
}

export interface DispatchDeps extends Pick<StageDeps, "ledger" | "clock"> {
  readonly queue: Queue;
  readonly inFlight: InFlightJobs;
  readonly stageLimits: Pick<StageDeps["limits"], "leaseMs">;
  readonly dispatchLimits: DispatchLimits;
  /** What the run's process is called in the ledger: nothing is leased once another process works on the run. */
  readonly process: string;
}

export type DispatchEnd = "drained" | "stopped" | "ended";

/** Uses are counted, and reported, at most this often: a report job sends all the full batches there are. */
const REPORT_INTERVAL_MS = 500;

/** A report job is not a batch of the run: its lease is the flusher's, taken by the job itself. */
const REPORT_LEASE_PREFIX = "report-";

/**
 * Runs until every batch of the run is done (`drained`), the signal aborts and what was at work has ended (`stopped`), or another
 * process has ended the run with work left, or has taken it (`ended`).
 * @throws LicetError QUEUE_UNREACHABLE, LEDGER_*
 */
export async function dispatch(deps: DispatchDeps, runId: string, signal: AbortSignal): Promise<DispatchEnd> {
  const outstanding = new Map<string, LeaseJob>();
  const reports = { restUntil: Number.NEGATIVE_INFINITY };
  for (;;) {
    for (const leaseId of deps.inFlight.takeEnded()) {
      outstanding.delete(leaseId);
    }
    if (signal.aborted) {
      return stopGently(deps);
    }
    await addReport(deps, outstanding, reports);
    const batches = countBatches(outstanding);
    const leased = await leaseMore(deps, runId, batches);
    if (leased.length > 0) {
      const jobs = leased.map(({ leaseId, stage }) => ({ leaseId, stage }));
      for (const job of jobs) {
        outstanding.set(job.leaseId, job);
      }
      await deps.queue.add(jobs);
      continue;
    }
    const progress = await deps.ledger.readProgress({ runId, process: deps.process, now: deps.clock.now() });
    if (!progress.isRunning) {
      return "ended";
    }
    if (progress.openBatches === 0) {
      return "drained";
    }
    const untilReady =
      progress.nextReadyAt === null ? deps.dispatchLimits.idleMs : progress.nextReadyAt - deps.clock.now();
    await deps.inFlight.wait(Math.max(1, Math.min(deps.dispatchLimits.idleMs, untilReady)), signal);
    await reviveLost(deps, outstanding);
  }
}

async function leaseMore(deps: DispatchDeps, runId: string, outstanding: number): Promise<readonly Lease[]> {
  const limit = deps.dispatchLimits.maxOutstanding - outstanding;
  if (limit <= 0) {
    return [];
  }
  return deps.ledger.leaseBatches({
    runId,
    process: deps.process,
    limit,
    now: deps.clock.now(),
    leaseMs: deps.stageLimits.leaseMs,
    maxWaitingPages: deps.dispatchLimits.maxWaitingPages,
  });
}

/**
 * Uses are reported while the run goes on: one report at a time, when a batch of them has come together, with a rest between
 * two. A report that gets nowhere ends at once (another process has the lease) and would be added again and again.
 */
async function addReport(
  deps: DispatchDeps,
  outstanding: Map<string, LeaseJob>,
  reports: { restUntil: number },
): Promise<void> {
  const now = deps.clock.now();
  if (now < reports.restUntil || [...outstanding.values()].some(({ stage }) => stage === "report")) {
    return;
  }
  reports.restUntil = now + REPORT_INTERVAL_MS;
  const pending = await deps.ledger.countPendingUses();
  if (pending.unbatched < deps.dispatchLimits.reportAtUses) {
    return;
  }
  const job: LeaseJob = { stage: "report", leaseId: `${REPORT_LEASE_PREFIX}${now}` };
  outstanding.set(job.leaseId, job);
  await deps.queue.add([job]);
}

function countBatches(outstanding: ReadonlyMap<string, LeaseJob>): number {
  let batches = 0;
  for (const { stage } of outstanding.values()) {
    batches += stage === "report" ? 0 : 1;
  }
  return batches;
}

/**
 * When the queue holds nothing and nothing is at work here, jobs that are still outstanding were lost (the queue was
 * emptied): their batches are given back at once instead of when their lease runs out.
 */
async function reviveLost(deps: DispatchDeps, outstanding: Map<string, LeaseJob>): Promise<void> {
  const idle = [...outstanding.keys()].filter((leaseId) => !deps.inFlight.active.has(leaseId));
  if (idle.length === 0 || deps.inFlight.active.size > 0) {
    return;
  }
  const depth = await deps.queue.depth();
  if (Object.values(depth).some((jobs) => jobs > 0)) {
    return;
  }
  const ended = new Set(deps.inFlight.takeEnded());
  for (const leaseId of idle) {
    outstanding.delete(leaseId);
    if (!ended.has(leaseId) && !leaseId.startsWith(REPORT_LEASE_PREFIX)) {
      await deps.ledger.returnBatch({ leaseId, notBefore: deps.clock.now() });
    }
  }
}

/** Nothing new is leased; the jobs at work here see the signal themselves and end when what is started is finished. */
async function stopGently(deps: DispatchDeps): Promise<"stopped"> {
  const never = new AbortController().signal;
  while (deps.inFlight.active.size > 0) {
    // News that nobody takes is there at once, again and again: the jobs that are still at work would never get a turn.
    deps.inFlight.takeEnded();
    await deps.inFlight.wait(deps.dispatchLimits.idleMs, never);
  }
  return "stopped";
}
