/**
 * The port of one worker (worker-port.ts) on the service's side: what it asks is bound to its leases, and the instants are the service's. Who is not
 * bound gets the answer of the ledger to a lease that is over, and changes nothing.
 */
import { assertBug } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Method } from "../../ledger/messages/calls.ts";
import { toError } from "../../ledger/messages/failure.ts";
import type { OpenPurchase, Settled, Settlement } from "../../ledger/purchase-ledger.ts";
import { type Bond, WORKER_OPERATIONS, type WorkerOperation } from "../../ledger/worker-ledger.ts";
import { decideQuoted } from "../../pipeline/decide/decide-quoted.ts";
import { siteOf } from "../../pipeline/site-of.ts";
import type { PipelineLimits, StageDeps, StageEvents } from "../../pipeline/stage-deps.ts";
import { keyOfJob } from "../../pipeline/work/in-flight-jobs.ts";
import type { Clock } from "../../time/clock.ts";
import {
  type BegunJob,
  FORWARDED_EVENTS,
  type RunTerms,
  type WorkerJob,
  type WorkerPort,
} from "../../worker/worker-port.ts";
import type { HeldLease, Offer, Session } from "./session.ts";

export interface SessionPortDeps {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, "now">;
  readonly leaseTimes: Pick<PipelineLimits, "leaseMs" | "flushLeaseMs">;
  readonly offers: ReadonlyMap<string, Offer>;
}

/** Pages in a batch to buy. Several workers share the pages of a run, and of larger batches the first of them would take all. */
const SHARED_BATCH_SIZE = 50;

/** The calls that are not operations of the ledger. */
type OwnCalls = Omit<WorkerPort, WorkerOperation>;

/** @returns null for what a worker may not call */
export function createSessionPort(deps: SessionPortDeps, session: Session): (name: string) => Method | null {
  const own: OwnCalls = {
    beginJob: (job) => beginJob(deps, session, job),
    endJob: async ({ work, job, outcome, failure }) => {
      const begun = session.jobs.get(keyOf(work, job));
      leaveJob(session, keyOf(work, job));
      if (begun !== undefined && failure !== null) {
        begun.offer.onFailure(toError(failure));
      } else if (begun !== undefined && outcome === "drop" && job.leaseId !== null) {
        await deps.ledger.returnBatch({ leaseId: job.leaseId, notBefore: deps.clock.now() });
      }
    },
    decideQuoted: async ({ leaseId, answers }) => {
      const held = session.leases.get(leaseId);
      if (held?.quoted != null) {
        await decideQuoted(inSmallBatches(held.offer.deps), { leaseId, opened: held.quoted, answers });
        leaveJob(session, keyOf(held.offer.id, { stage: "quote", leaseId }));
      }
    },
    emit: async ({ work, name, event }) => {
      const offer = deps.offers.get(work);
      if (offer !== undefined && FORWARDED_EVENTS.includes(name)) {
        (offer.deps.events[name] as (event: unknown) => void satisfies StageEvents[typeof name])(event);
      }
    },
  };
  return (name) => {
    if (Object.hasOwn(own, name)) {
      return own[name as keyof OwnCalls] as Method;
    }
    return Object.hasOwn(WORKER_OPERATIONS, name) ? callLedger(deps, session, name as WorkerOperation) : null;
  };
}

function inSmallBatches(deps: StageDeps): StageDeps {
  const acquireBatchSize = Math.min(deps.limits.acquireBatchSize, SHARED_BATCH_SIZE);
  return { ...deps, limits: { ...deps.limits, acquireBatchSize } };
}

/** All jobs of a worker are over for the dispatcher. */
export function leaveJobs(session: Session): void {
  for (const key of [...session.jobs.keys()]) {
    leaveJob(session, key);
  }
}

/** The job is over for the dispatcher: its batch may be leased again when its lease has expired. */
function leaveJob(session: Session, key: string): void {
  const begun = session.jobs.get(key);
  if (begun !== undefined) {
    session.jobs.delete(key);
    session.leases.delete(begun.job.leaseId ?? "");
    begun.offer.inFlight.end(keyOfJob(begun.job));
  }
}

/** A lease id names its batch in every run; a report has none. */
const keyOf = (work: string, job: WorkerJob["job"]): string => `${work} ${keyOfJob(job)}`;

async function beginJob(deps: SessionPortDeps, session: Session, { work, job }: WorkerJob): Promise<BegunJob | null> {
  const offer = deps.offers.get(work);
  const key = keyOf(work, job);
  if (offer === undefined || offer.stop.aborted || offer.inFlight.active.has(keyOfJob(job))) {
    return null;
  }
  offer.inFlight.begin(keyOfJob(job));
  session.jobs.set(key, { offer, job });
  try {
    const begun = await openJob(deps, session, { offer, job });
    if (begun === null) {
      leaveJob(session, key);
    }
    return begun;
  } catch (error) {
    leaveJob(session, key);
    throw error;
  }
}

async function openJob(
  { ledger }: SessionPortDeps,
  session: Session,
  { offer, job }: { readonly offer: Offer; readonly job: WorkerJob["job"] },
): Promise<BegunJob | null> {
  const terms = toTerms(offer);
  const hold = (lease: Pick<HeldLease, "host" | "quoted">, purchases: readonly OpenPurchase[]) => {
    assertBug(job.leaseId !== null, "a report has no lease");
    const byId = new Map(purchases.map((purchase) => [purchase.purchaseId, purchase]));
    session.leases.set(job.leaseId, { offer, ...lease, purchases: byId });
  };
  if (job.stage === "report") {
    return { stage: "report", terms };
  }
  if (job.stage === "acquire") {
    const opened = await ledger.openAcquireBatch(job.leaseId);
    if (opened !== null && opened.runId === offer.runId) {
      hold({ host: opened.host, quoted: null }, opened.purchases);
      return { stage: "acquire", terms, opened };
    }
    return null;
  }
  const opened = job.stage === "quote" ? await ledger.openQuoteBatch(job.leaseId) : null;
  if (opened === null || opened.runId !== offer.runId) {
    return null;
  }
  hold({ host: opened.host, quoted: opened }, []);
  const { intent } = siteOf(offer.deps, opened.host).policy.policy;
  return { stage: "quote", terms, opened, intent };
}

function toTerms({ deps }: Offer): RunTerms {
  const { order, limits, fee, licenseIdField, reportPermissions } = deps;
  return { order, limits, fee, licenseIdField, reportPermissions };
}

function callLedger(deps: SessionPortDeps, session: Session, name: WorkerOperation): Method {
  const { bond, stale } = WORKER_OPERATIONS[name];
  return async (asked) => {
    const held = BONDS[bond](session, asked);
    if (held === false) {
      return stale;
    }
    const operation = deps.ledger[name] as (asked: unknown) => Promise<unknown>;
    const result = await operation(withOwnTime(deps, name, asked));
    note(session, { name, asked, held, result });
    return result;
  };
}

/** Whether what is asked belongs to the worker: the lease that it belongs to, if it belongs to one. */
const BONDS: Readonly<Record<Bond, (session: Session, asked: unknown) => HeldLease | null | false>> = {
  lease: ({ leases }, asked) => leases.get(typeof asked === "string" ? asked : textOf(asked, "leaseId")) ?? false,
  site: ({ leases }, asked) => {
    const [runId, host] = [textOf(asked, "runId"), textOf(asked, "host")];
    return [...leases.values()].find((held) => held.offer.runId === runId && held.host === host) ?? false;
  },
  purchase: ({ leases }, asked) => {
    const purchaseId = fieldOf(asked, "purchaseId");
    return [...leases.values()].find(({ purchases }) => purchases.has(purchaseId as number)) ?? false;
  },
  flusher: ({ flusherFence }, asked) => {
    const fence = typeof asked === "number" ? asked : fieldOf(asked, "fence");
    return fence === flusherFence ? null : false;
  },
  fact: (session, asked) => BONDS.purchase(session, asked) || null,
};

function fieldOf(asked: unknown, name: string): unknown {
  return typeof asked === "object" && asked !== null ? (asked as Readonly<Record<string, unknown>>)[name] : undefined;
}

const textOf = (asked: unknown, name: string): string => String(fieldOf(asked, name));

/** The clocks of two machines are not compared: what is written is the service's time. */
function withOwnTime({ clock, leaseTimes }: SessionPortDeps, name: WorkerOperation, asked: unknown): unknown {
  if (typeof asked !== "object" || asked === null) {
    return asked;
  }
  const now = clock.now();
  const lasts = name === "renewLease" ? leaseTimes.leaseMs : leaseTimes.flushLeaseMs;
  return {
    ...asked,
    ...("now" in asked ? { now } : {}),
    ...("expiresAt" in asked ? { expiresAt: now + lasts } : {}),
    ...("leaseMs" in asked ? { leaseMs: leaseTimes.flushLeaseMs } : {}),
  };
}

interface AnsweredCall {
  readonly name: WorkerOperation;
  readonly asked: unknown;
  readonly held: HeldLease | null;
  readonly result: unknown;
}

/** What an answer gives to the worker, and what it tells the owner of the run. */
function note(session: Session, { name, asked, held, result }: AnsweredCall): void {
  if (name === "leaseFlusher") {
    session.flusherFence = (result as { readonly fence: number } | null)?.fence ?? null;
  }
  if (name === "reserveAnew" && result !== null) {
    const purchase = result as OpenPurchase;
    held?.purchases.set(purchase.purchaseId, purchase);
  }
  if (name === "settlePurchase" && held !== null) {
    noteSettled(held, asked as Settlement, result as Settled);
  }
  if (name === "stopSite") {
    claimStop(held);
  }
  if (name === "finishAcquireBatch" && held !== null && result === true) {
    leaveJob(session, keyOf(held.offer.id, { stage: "acquire", leaseId: String(asked) }));
  }
}

/** The worker need not say that a page was bought: the settlement has said it. */
function noteSettled(held: HeldLease, { purchaseId, charge, feeMicros, isEmpty }: Settlement, settled: Settled): void {
  const purchase = held.purchases.get(purchaseId);
  if (purchase !== undefined && settled.outcome === "settled") {
    const { url, quote } = purchase;
    held.offer.deps.events.bought({ url, charged: charge ?? quote?.price ?? null, feeMicros });
  }
  if (settled.stopped !== null) {
    claimStop(held);
  } else if (!isEmpty && held.host !== null) {
    held.offer.deps.siteHealth.proven(held.host);
  }
}

function claimStop(held: HeldLease | null): void {
  if (held?.host != null) {
    held.offer.deps.siteHealth.claimStop(held.host);
  }
}
