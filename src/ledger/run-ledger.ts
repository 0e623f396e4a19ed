import type { Micros } from "../money/micros.ts";
import type { Money } from "../money/money.ts";

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
/** How a run ended; `running` until then. A run that was killed stays `running` until somebody takes it up. */
export type RunState = (typeof RUN_STATES)[number];

/** Runs that keep their frontier, unless a later run took over what they left. */
export const UNFINISHED_STATES = ["running", "interrupted", "failed"] as const satisfies readonly RunState[];

/** Runs that a limit ended with work left: they can be resumed too, and walk again. */
export const LIMITED_STATES = [
  "budget_exhausted",
  "max_pages",
  "max_spend",
  "max_duration",
] as const satisfies readonly RunState[];

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
  /** Approvals of this run on this site; null: no limit. */
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
  /** Approvals of the whole run; null: no limit. */
  readonly maxPages: number | null;
  /** Money set aside or spent by the whole run; null: no limit beyond the budgets. */
  readonly maxSpend: Money | null;
  /** Epoch ms; null: no limit. */
  readonly deadlineAt: number | null;
}

/** A process that works on a run, and what it knows of the others. */
export interface RunWorker {
  /** `host:pid` with what tells two lives of one pid apart: never used twice. */
  readonly process: string;
  readonly now: number;
  /** How long it is taken to be alive without having said so again; no lease lasts longer. */
  readonly aliveMs: number;
  /** Processes that are known to have ended: nothing of theirs is alive, whatever their leases say. */
  readonly gone: readonly string[];
}

/** Which run a call of `licet run` is about. */
export type WhichRun =
  /** This one, where it can be resumed. */
  | { readonly kind: "named"; readonly runId: string }
  /** The newest one that can be resumed. */
  | { readonly kind: "newest" }
  /** An interrupted one of exactly these sites, else a new one. */
  | { readonly kind: "interrupted" }
  | { readonly kind: "fresh" };

export interface RunLimits {
  /** Approvals of the whole run; null: no limit. */
  readonly maxPages: number | null;
  /** Money set aside or spent by the whole run; null: no limit beyond the budgets. */
  readonly maxSpend: Money | null;
}

export interface BeginRun extends RunWorker {
  readonly which: WhichRun;
  /** The name of a new run. */
  readonly runId: string;
  readonly trigger: RunTrigger;
  /** The sites of a new run. */
  readonly sites: readonly RunSiteSpec[];
  /** Every configured site: a run that is gone on with buys from no other, under the terms of now. */
  readonly configured: readonly RunSiteSpec[];
  /** Said by the caller: they hold, also for a run that is gone on with. null: nothing was said. */
  readonly said: RunLimits;
  /** Of the configuration: they hold for a new run, and tighten those of one that is gone on with. */
  readonly limits: RunLimits & { readonly maxDurationMs: number | null };
}

/** A run that ended without a word, or with something left, and whose rest another one takes over. */
export interface TakenOver {
  readonly runId: string;
  /** As it was found; `running` is one that died. */
  readonly state: RunState;
  /** Reservations that were released. */
  readonly released: number;
  /** Purchases that were sent and not answered: to be probed, and then the run to be ended (`endRun`). */
  readonly started: number;
}

export type Begun =
  | {
      readonly kind: "begun";
      readonly spec: RunSpec;
      /** Whether it is an earlier run that goes on. */
      readonly resumed: boolean;
      readonly takenOver: readonly TakenOver[];
    }
  /** Another process works on one of these sites: nothing was done. */
  | {
      readonly kind: "alive";
      readonly runId: string;
      readonly process: string | null;
      readonly hosts: readonly string[];
    };

/** A run that is not over, with what it holds against later ones. */
export interface UnfinishedRun {
  readonly runId: string;
  readonly state: RunState;
  readonly startedAt: number;
  readonly hosts: readonly string[];
  readonly process: string | null;
  readonly isAlive: boolean;
  /** Decided and not yet sent, and sent without an answer so far. */
  readonly reserved: number;
  readonly started: number;
  /** What both set aside. */
  readonly heldMicros: Readonly<Record<string, Micros>>;
}

/** The stages whose work is leased in batches; reporting has its own lease (usage-ledger.ts). */
export const BATCH_STAGES = ["walk", "quote", "acquire"] as const;
export type BatchStage = (typeof BATCH_STAGES)[number];

/** A leased batch: the whole of what a job may know. Its id is `<batch>.<attempt>`: which leasing of which batch. */
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
  /** @default every stage */
  readonly stages?: readonly BatchStage[];
  /** With it, only while the run is in the hands of this process. */
  readonly process?: string;
}

export interface RunProgress {
  /** Batches that are ready, filling or leased. 0 with every walk ended means that the run is over. */
  readonly openBatches: number;
  /** Of those, leased at `now`. */
  readonly leasedBatches: number;
  /** Earliest instant at which a batch that is not ready becomes so (backoff or lease expiry); null when none is. */
  readonly nextReadyAt: number | null;
  /** False once anybody has ended the run or taken it from the process that asks: then nothing of it is leased any more. */
  readonly isRunning: boolean;
}

/** What `prune` took away, or would. */
export interface Pruned {
  readonly denials: number;
  /** Runs that bought nothing: nothing of money, content or evidence names them. */
  readonly runs: number;
  /** Examples of catalog entries that were not pages. */
  readonly examples: number;
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
   * Makes a new run, or goes on with an earlier one, in one transaction that also asks whether a run of one of its sites is alive in
   * another process: of two calls at once, one begins. A run is alive while it is `running` and its process, or the holder of one of its
   * leases, has said so not too long ago.
   *
   * Going on decides anew: what was only reserved is released (`decided_anew`), waits again and is decided under what holds now; what
   * is started stays, to be probed; leases and backoffs end; stops are lifted that may no longer hold, all but `not_enabled` and those that an
   * open item of the site keeps; sites that are not configured are stopped. Limits cover the run since it began. A run that a limit had ended walks again.
   *
   * What died is taken over: reservations are released (`taken_over`), and the run is over, now or (where purchases are started) when
   * the caller has probed them and calls `endRun`. Idempotent by process.
   * @throws LicetError RUN_NOT_FOUND for one to resume that does not exist or is over
   */
  beginRun(begin: BeginRun): Promise<Begun>;
  /**
   * Takes a run into the caller's hands to be cancelled: what is reserved is released (`run_ended`), what is started stays to be probed,
   * and a process that works on the run finds it gone from its hands. `ended`: there was nothing to do but to say so, and that is done.
   * @throws LicetError RUN_NOT_FOUND for one that does not exist, is complete, or was taken over
   */
  cancelRun(
    cancel: RunWorker & { readonly runId: string },
  ): Promise<{ readonly ended: boolean; readonly released: number; readonly started: number }>;
  /** Says that a process still works on a run. False when it was ended or taken from it: the process stops. */
  renewRun(renewal: {
    readonly runId: string;
    readonly process: string;
    readonly aliveUntil: number;
  }): Promise<boolean>;
  /** Every run that is not over, oldest first. */
  listUnfinished(query: Pick<RunWorker, "now" | "aliveMs" | "gone">): Promise<readonly UnfinishedRun[]>;
  /**
   * Ends a run. When it is `interrupted` or `failed` it may go on: its reservations are released (`decided_anew`) and their pages wait
   * again. Else, and where another run took it over, they are released (`run_ended`), what is started is in doubt, and its
   * frontier is dropped. Idempotent. The counts stay. With `process`, only while the run is in the hands of that process.
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
    readonly process?: string;
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
   * first; of a site without a good settlement in this run, one acquire batch at a time. Each leasing is a new attempt, so
   * the former holder's calls become stale. Indexed: the cost does not grow with the work done.
   */
  leaseBatches(request: LeaseRequest): Promise<readonly Lease[]>;
  /** Extends a lease. False when it is stale: the holder stops. */
  renewLease(renewal: { readonly leaseId: string; readonly expiresAt: number }): Promise<boolean>;
  /** Gives a batch back to be leased again at `notBefore`: what it still holds is done then. False when stale. */
  returnBatch(back: { readonly leaseId: string; readonly notBefore: number }): Promise<boolean>;
  readProgress(query: {
    readonly runId: string;
    readonly now: number;
    /** @default every stage */
    readonly stages?: readonly BatchStage[];
    readonly process?: string;
  }): Promise<RunProgress>;
  /**
   * Takes away what only explained: denials of runs that ended before an instant, their examples of bad catalog entries, and those of
   * these runs that bought nothing. Facts stay, and what is counted stays counted. Idempotent.
   */
  prune(request: { readonly before: number; readonly dryRun: boolean }): Promise<Pruned>;
}
