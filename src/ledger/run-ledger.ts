import type { Money } from "../money/money.ts";

/**
 * How a run ended; `running` until then. A run that was killed stays `running` and can be resumed, as can `interrupted`
 * and `failed` ones; the others are over, and what they left is the next run's.
 */
export const RUN_STATES = [
  "running",
  "completed",
  "budget_exhausted",
  "max_pages",
  "max_spend",
  "max_duration",
  "interrupted",
  "cancelled",
  "failed",
] as const;
export type RunState = (typeof RUN_STATES)[number];

/** Why a site takes no further part in a run. The first reason stays, until one comes that ends more (a reached limit, then an overcharge). */
export const SITE_STOPS = [
  "budget_exhausted",
  "max_pages",
  "max_spend",
  "max_duration",
  "not_enabled",
  "overcharged",
  "charge_unreadable",
  "license_mismatch",
  "unauthorized",
  "redirected",
  "empty_content",
  "not_configured",
  "walk_failed",
  "failed",
] as const;
export type SiteStop = (typeof SITE_STOPS)[number];

/** What started a run (design § Runs). */
export const RUN_TRIGGERS = ["manual", "schedule", "webhook", "list"] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

export interface RunSiteSpec {
  readonly host: string;
  /** Approvals of this run on this site; null is no limit. */
  readonly maxPages: number | null;
  /** A full walk is due when the last complete one is this long ago; null: every walk is full. */
  readonly fullWalkEveryMs: number | null;
  /** How far below the high-water mark an incremental walk still reads. */
  readonly overlapMs: number;
}

export interface RunSpec {
  readonly runId: string;
  /**
   * A `plan` walks and quotes like a run but never decides: it makes no purchase, cannot be resumed, appears in no listing,
   * and is discarded at its end (one left behind by a crash: by the next `createRun`).
   */
  readonly kind: "run" | "plan";
  readonly startedAt: number;
  readonly sites: readonly RunSiteSpec[];
  /** Approvals of the whole run; null is no limit. */
  readonly maxPages: number | null;
  /** Money set aside or spent by the whole run; null is no limit beyond the budgets. */
  readonly maxSpend: Money | null;
  /** Epoch ms; null is no limit. */
  readonly deadlineAt: number | null;
}

/** The stages whose work is leased in batches; reporting has its own lease (usage-ledger.ts). */
export const BATCH_STAGES = ["walk", "quote", "acquire"] as const;
export type BatchStage = (typeof BATCH_STAGES)[number];

/** A leased batch: the whole of what a job may know (design § The frontier is in SQLite). */
export interface Lease {
  readonly leaseId: string;
  readonly stage: BatchStage;
  readonly host: string;
}

export interface LeaseRequest {
  readonly runId: string;
  /** At most this many leases. */
  readonly limit: number;
  readonly now: number;
  /** How long the holder may be silent. */
  readonly leaseMs: number;
  /** Walking a site pauses while this many of its pages wait to be quoted or bought: the frontier stays bounded. */
  readonly maxWaitingPages: number;
}

export interface RunProgress {
  /** Batches that are ready, filling or leased. 0 with every walk ended means that the run is over. */
  readonly openBatches: number;
  /** Of those, leased at `now`. */
  readonly leasedBatches: number;
  /** Earliest instant at which a batch that is not ready becomes so (backoff or lease expiry); null when none is. */
  readonly nextReadyAt: number | null;
  /** False once anybody has ended the run, another process too: then nothing of it is leased any more. */
  readonly isRunning: boolean;
}

/** Runs, their sites, and the leases on their batches. */
export interface RunLedger {
  /**
   * Creates a run with its sites and a first `walk` batch for each.
   * Idempotent by `runId`. The walk of a site is incremental when its last complete walk left a high-water mark and the
   * last full one is younger than `fullWalkEveryMs`.
   */
  createRun(spec: RunSpec): Promise<void>;
  /**
   * Makes an unfinished run `running` again with new limits (null keeps the old ones), frees its leases, ends its backoffs, and lifts
   * the site stops that may no longer hold: all but `not_enabled` and those that an open item of the site keeps.
   * @throws LicetError RUN_NOT_FOUND, also for a run that is over
   */
  reopenRun(change: {
    readonly runId: string;
    readonly now: number;
    readonly maxPages: number | null;
    readonly maxSpend: Money | null;
    readonly deadlineAt: number | null;
  }): Promise<RunSpec>;
  /** The newest run that is `running`, `interrupted` or `failed`, or null. */
  findUnfinishedRun(): Promise<string | null>;
  /**
   * Ends a run. Unless it is `interrupted` or `failed` (those are resumed), its reserved purchases are released
   * (reason `run_ended`) and its frontier is dropped. Idempotent. The counts stay.
   *
   * A site's high-water mark moves only here, and only when its walk was complete and nothing was left over: no page
   * undecided, denied by a limit, or released. Else an incremental walk would never see those pages again.
   *
   * With `drained`, only a run with no batch left is ended: false says that another process has reopened it since, and that there is
   * work again.
   */
  endRun(end: {
    readonly runId: string;
    readonly state: Exclude<RunState, "running">;
    readonly reason: string | null;
    readonly now: number;
    readonly drained?: boolean;
  }): Promise<boolean>;
  /** Removes a plan with all its working state; what it learned of pages (URL, `lastMod`) stays. */
  discardPlan(runId: string): Promise<void>;
  /** Stops one site of a run: its reserved purchases are released, its batches dropped, its frontier left unquoted. The first reason stays, unless this one ends more. */
  stopSite(stop: {
    readonly runId: string;
    readonly host: string;
    readonly stop: SiteStop;
    readonly detail: string;
    readonly now: number;
  }): Promise<void>;

  /**
   * Leases ready batches (and those whose lease ran out), round robin over the run's sites, stages nearest to settlement
   * first; of a site without a good settlement in this run, one acquire batch at a time. Each leasing raises the batch's fence, so the former holder's calls become stale. Indexed: the cost does
   * not grow with the work done.
   */
  leaseBatches(request: LeaseRequest): Promise<readonly Lease[]>;
  /** Extends a lease. False when it is stale: the holder stops. */
  renewLease(renewal: { readonly leaseId: string; readonly expiresAt: number }): Promise<boolean>;
  /** Gives a batch back to be leased again at `notBefore`: what it still holds is done then. False when stale. */
  returnBatch(back: { readonly leaseId: string; readonly notBefore: number }): Promise<boolean>;
  readProgress(query: { readonly runId: string; readonly now: number }): Promise<RunProgress>;
}
