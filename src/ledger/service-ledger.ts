/** The lease of the one service of a ledger (`licet serve`). Its fence is a number that grows with each service. */

/** A service, as the ledger knows it. */
export interface KnownService {
  /** The name of its process: `host:pid` with a suffix that makes it unique. */
  readonly process: string;
  /** Where its HTTP interface listens. Null: not yet. */
  readonly url: string | null;
  readonly startedAt: number;
  /** Until when its lease lasts, epoch ms. Null: it stopped in order. */
  readonly expiresAt: number | null;
  /** Whether it is at work: its lease lasts, and its process is not known to have ended. */
  readonly isAlive: boolean;
}

/** How a worker on another machine stands. */
export const WORKER_STATES = ["attached", "idle", "draining", "lost"] as const;
/**
 * `attached`: takes jobs of runs. `idle`: no run has work for it. `draining`: takes no more jobs, and ends what it has. `lost`: gave no sign of life for
 * longer than its lease.
 */
export type WorkerState = (typeof WORKER_STATES)[number];

/** A worker on another machine, as its service knows it. */
export interface KnownWorker {
  readonly name: string;
  /** The token of `serve.tokens` that it came with. */
  readonly tokenName: string;
  /** Of licet. */
  readonly version: string;
  readonly state: WorkerState;
  /** Requests to the gateway that it can have in flight: its `--concurrency`. */
  readonly places: number;
  /** What it may use of the gateway's limits now. `requestsPerSecond` null: they have no such limit. */
  readonly share: { readonly concurrency: number; readonly requestsPerSecond: number | null };
  /** Jobs that it has in hand. */
  readonly jobs: number;
  /** Pages that it has bought since it started. */
  readonly pages: number;
  readonly pagesPerSecond: number;
  /** When it came. */
  readonly since: number;
  /** Its last sign of life. */
  readonly seenAt: number;
}

/** Nobody hears it any more: it has nothing. */
export function asLost({ share, ...worker }: KnownWorker): KnownWorker {
  const nothing = { concurrency: 0, requestsPerSecond: share.requestsPerSecond === null ? null : 0 };
  return { ...worker, state: "lost", share: nothing, jobs: 0, pagesPerSecond: 0 };
}

/** Who asks, and what the caller knows about other processes. */
export interface ServiceQuery {
  readonly now: number;
  /** How long a lease lasts. A lease that ends much later was taken by a clock that has been set back since; it does not count. */
  readonly leaseMs: number;
  /** Processes that are known to have ended. Their leases do not count. */
  readonly gone: readonly string[];
}

export type ServiceTaken =
  | {
      readonly kind: "taken";
      readonly fence: number;
      /** The service before, when it did not stop in order. Null: it did, or there was none. */
      readonly died: KnownService | null;
    }
  /** Another service is at work. Nothing was changed. */
  | { readonly kind: "alive"; readonly service: KnownService }
  /** Somebody took or renewed the lease after it was read. Nothing was changed: read it again, and take a new instant. */
  | { readonly kind: "changed" };

export interface ServiceTake extends ServiceQuery {
  readonly process: string;
  /**
   * As `readService` told it before `now` was taken. A process that was suspended since has an old `now`: by it, a lease that was renewed
   * meanwhile looks like one of a clock that has been set back. So a lease that changed since it was read is not taken.
   */
  readonly known: KnownService | null;
}

export interface ServiceLedger {
  /**
   * Takes the lease of the service when nobody holds it, and raises the fence: what a former holder still says is stale. The check and
   * the change are one transaction, so of two calls at once only one takes the lease. Idempotent by process: a second call of the
   * process that holds the lease finds the same fence.
   */
  takeService(take: ServiceTake): Promise<ServiceTaken>;
  /**
   * Extends the lease, also one that has run out while nobody else took it, and records the address and the workers. False when another service
   * took the lease: the caller must stop at once.
   */
  renewService(renewal: {
    readonly fence: number;
    readonly expiresAt: number;
    readonly url: string | null;
    readonly workers: readonly KnownWorker[];
  }): Promise<boolean>;
  /** Gives the lease back. A stale fence changes nothing. */
  releaseService(fence: number): Promise<void>;
  /**
   * Empties the write-ahead log into the file. Never waits: while another process reads or writes, the log may stay (`emptied: false`).
   * Idempotent.
   */
  shortenLog(): Promise<{ readonly emptied: boolean }>;
  /** The newest service of this ledger, at work or not. Null: there was none. */
  readService(query: ServiceQuery): Promise<KnownService | null>;
  /** The workers of the newest service as it knew them when it renewed its lease last, at work or not. */
  readWorkers(): Promise<readonly KnownWorker[]>;
}
