/**
 * What a worker on another machine asks of the service that owns the ledger: the operations of its stages, and what they need beside the ledger. The
 * calls go as messages (src/ledger/messages), so they are declared here and nowhere else.
 */
import type { GatewayClientOptions } from "../gateway/client-options.ts";
import type { RequestShare } from "../gateway/gateway.ts";
import type { OpenedQuoteBatch } from "../ledger/frontier-ledger.ts";
import type { Failure } from "../ledger/messages/failure.ts";
import type { OpenedAcquireBatch } from "../ledger/purchase-ledger.ts";
import { WORKER_OPERATIONS, type WorkerLedger, type WorkerOperation } from "../ledger/worker-ledger.ts";
import type { RateAnswer } from "../pipeline/quote/rate-answer.ts";
import type { StageEvents, WorkerDeps } from "../pipeline/stage-deps.ts";
import type { Intent } from "../policy/rule.ts";
import type { JobOutcome, LeaseJob, QueuePlace } from "../queue/queue.ts";

/** The stages of a worker. The catalog is read where the frontier is written. */
export const WORKER_STAGES = ["quote", "acquire", "report"] as const;

/** What a worker needs of a run to work on its jobs. */
export type RunTerms = Pick<WorkerDeps, "order" | "limits" | "fee" | "licenseIdField" | "reportPermissions">;

/** A job as a worker got it from the queue. */
export interface WorkerJob {
  /** The work that the queue belongs to (`OfferedWork`). */
  readonly work: string;
  readonly job: LeaseJob;
}

/** A job that the worker may work on, with all that it needs. */
export type BegunJob =
  | { readonly stage: "quote"; readonly terms: RunTerms; readonly opened: OpenedQuoteBatch; readonly intent: Intent }
  | { readonly stage: "acquire"; readonly terms: RunTerms; readonly opened: OpenedAcquireBatch }
  | { readonly stage: "report"; readonly terms: RunTerms };

/** What the service tells its program and its log of the pages of a worker, and does not learn by their settlement. */
export const FORWARDED_EVENTS = [
  "failed",
  "inDoubt",
  "siteStopped",
  "reported",
  "retrying",
  "warned",
] as const satisfies readonly (keyof StageEvents)[];

type ForwardedEvent = {
  [Name in (typeof FORWARDED_EVENTS)[number]]: {
    readonly work: string;
    readonly name: Name;
    readonly event: Parameters<StageEvents[Name]>[0];
  };
}[(typeof FORWARDED_EVENTS)[number]];

export interface WorkerPort extends WorkerLedger {
  /** Null: the lease is over, or the job is worked on already. It is dropped. */
  beginJob(job: WorkerJob): Promise<BegunJob | null>;
  /** @param end.failure what ends the run. Null: nothing does, and a batch that was dropped can be leased again */
  endJob(end: WorkerJob & { readonly outcome: JobOutcome; readonly failure: Failure | null }): Promise<void>;
  /** Has the owner of the ledger decide a quoted batch. A second call finds the lease used up. */
  decideQuoted(quoted: { readonly leaseId: string; readonly answers: readonly RateAnswer[] | null }): Promise<void>;
  emit(event: ForwardedEvent): Promise<void>;
}

/** The methods of the port, as they are called. */
export const WORKER_METHODS: readonly (keyof WorkerPort)[] = [
  ...(Object.keys(WORKER_OPERATIONS) as WorkerOperation[]),
  "beginJob",
  "endJob",
  "decideQuoted",
  "emit",
];

/** What a worker says when it comes. */
export interface Hello {
  /** As people know it: host and process. */
  readonly name: string;
  /** Requests to the gateway that it can have in flight: 1 to `MAX_PLACES`. */
  readonly places: number;
}

export const MAX_PLACES = 4_096;
/** The name of a worker: a label of metrics, and a word in logs and lists. */
export const WORKER_NAME = /^[\x21-\x7e]{1,200}$/;

/** What it gets, for as long as it goes on to say that it lives. */
export interface Welcome {
  readonly session: string;
  /** Without the key, which only the worker has. */
  readonly gateway: Omit<GatewayClientOptions, "apiKey" | "clock" | "random" | "onRetry" | "onRequest">;
  /** A share lasts for so long after the beat was sent that brought it. */
  readonly leaseMs: number;
  /** How long content that waits for its conversion may, and what of it is converted. */
  readonly conversion: {
    readonly inputBytes: number;
    readonly outputBytes: number;
    readonly timeMs: number;
  };
}

/** Sent again and again. */
export interface Beat {
  readonly session: string;
  /** Grows with each beat: one that was overtaken says nothing. */
  readonly number: number;
  /** The version of the share that the worker keeps to. */
  readonly confirmed: number;
  /** The rest that the gateway asked this worker for, ms. */
  readonly restMs: number;
  /** The offered work that it has jobs of. */
  readonly attached: readonly string[];
  /** Jobs under way, also of an earlier session: what is started needs its answer from the gateway. */
  readonly jobs: number;
  /** It takes no more jobs. */
  readonly isDraining: boolean;
  /** Pages that it has bought so far. */
  readonly pages: number;
  /** The answer may wait until there is something to say. */
  readonly mayWait: boolean;
}

export interface OfferedWork {
  readonly work: string;
  readonly queue: QueuePlace;
  /** Nothing new is started in it. */
  readonly isStopping: boolean;
}

export interface BeatAnswer {
  /** The clock of the service, epoch ms. */
  readonly now: number;
  readonly share: RequestShare & { readonly version: number };
  /** The gateway asked somebody for a rest of so long. */
  readonly restMs: number;
  readonly works: readonly OfferedWork[];
  /** A run is at work, or is left to the service or to the next one, also where nothing of it is offered now. */
  readonly hasRuns: boolean;
}
