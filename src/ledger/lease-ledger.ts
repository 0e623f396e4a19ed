/** Work in batches, and the leases of them: how the workers of a run share it. */
/** The stages whose work is leased in batches. Reporting has its own lease (usage-ledger.ts). */
export const BATCH_STAGES = ["walk", "quote", "acquire"] as const;
/** A stage that works on batches: reading the catalog, quoting and deciding, buying. */
export type BatchStage = (typeof BATCH_STAGES)[number];

/** Batches of the runs at work that wait for a stage, or are at work in it. */
export interface BatchesOfStage {
  readonly stage: BatchStage;
  readonly count: number;
  /** How many pages they had together when they were made. Of `walk` 0: its pages are not known before. */
  readonly size: number;
}

/** A leased batch: all data of a job. Its id is `<batch>.<attempt>`, which names one lease of one batch. */
export interface Lease {
  readonly leaseId: string;
  readonly stage: BatchStage;
  readonly host: string;
}

/** What every opened batch says of itself. */
export interface OpenedBatch {
  readonly runId: string;
  readonly host: string;
  /** The number of this lease of the batch, from 1. */
  readonly attempt: number;
  /** When the lease ends without a renewal, epoch ms: the job may have waited in its queue for most of it. */
  readonly leasedUntil: number;
}

export interface LeaseRequest {
  readonly runId: string;
  /** The most leases to return. */
  readonly limit: number;
  readonly now: number;
  /** A lease expires when it is not renewed for this long. */
  readonly leaseMs: number;
  /** The walk of a site pauses while this many of its pages wait to be quoted or bought, so that the frontier stays bounded. */
  readonly maxWaitingPages: number;
  /** So many quote batches of one site are leased at once. @default without a limit */
  readonly quotesPerSite?: number;
  /** So many of each stage at most, and of a stage that is not named none. @default `limit` of every stage */
  readonly stages?: Readonly<Partial<Record<BatchStage, number>>>;
  /** If set, batches are leased only while this process owns the run. */
  readonly process?: string;
}

export interface RunProgress {
  /** Batches that are ready, filling or leased. When this is 0 and every walk has ended, the run has no work left. */
  readonly openBatches: number;
  /** How many of them are leased at `now`. */
  readonly leasedBatches: number;
  /** The earliest time at which another batch becomes ready (backoff or lease expiry). Null when there is none. */
  readonly nextReadyAt: number | null;
  /** False once the run has ended or another process took it over. Nothing of it is leased then. */
  readonly isRunning: boolean;
}

export interface LeaseLedger {
  /**
   * Leases ready batches, and batches whose lease has expired. It alternates between the run's sites and prefers the stages nearest to
   * settlement that have room (`stages`). A site without a good settlement in this run gets one acquire batch at a time. Each lease is
   * a new attempt, so calls of the former holder become stale. Uses an index: the cost does not grow with the completed work.
   */
  leaseBatches(request: LeaseRequest): Promise<readonly Lease[]>;
  /** Extends a lease. False when it is stale; the holder must stop. */
  renewLease(renewal: { readonly leaseId: string; readonly expiresAt: number }): Promise<boolean>;
  /** Returns a batch, which can be leased again at `notBefore` with its remaining work. False when stale. */
  returnBatch(back: { readonly leaseId: string; readonly notBefore: number }): Promise<boolean>;
  readProgress(query: {
    readonly runId: string;
    readonly now: number;
    /** @default every stage */
    readonly stages?: readonly BatchStage[];
    readonly process?: string;
  }): Promise<RunProgress>;
}
