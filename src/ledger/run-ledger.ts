import type { ActedBy } from "../act/act.ts";
import type { Micros } from "../money/micros.ts";
import type { RunOrder } from "../policy/rule.ts";
import type { RunKind } from "../run/kinds.ts";
import type { OwnLimits } from "../run/limits.ts";
import type { EndedBy, RunState } from "../run/run-state.ts";
import type { StoppedBy } from "../run/stopped-by.ts";
import type { Asker, LeftRun } from "../run/what-becomes.ts";
import type { Period } from "../time/period.ts";
import type { ListPosition, NewList } from "./list-ledger.ts";
import type { HeldSlot } from "./schedule-ledger.ts";

/** Why a site takes no further part in a run. The first reason stays until a stronger one comes: after a limit, an overcharge. */
export const SITE_STOPS = [
  "budget_exhausted",
  "max_pages",
  "max_spend",
  "max_duration",
  "not_enabled",
  "overcharged",
  "charge_unreadable",
  "license_mismatch",
  "paused",
  "unauthorized",
  "redirected",
  "empty_content",
  "not_configured",
  "walk_failed",
  "failed",
] as const;
/** What ended the work on a site. */
export type SiteStop = (typeof SITE_STOPS)[number];

export const RUN_TRIGGERS = ["manual", "schedule", "webhook", "list"] as const;
/** What started a run. */
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

export interface RunSiteSpec {
  readonly host: string;
  /** Approvals of this run on this site. Null: no limit. */
  readonly maxPages: number | null;
  /** A full walk is due when the last complete one is older than this. Null: every walk is full. */
  readonly fullWalkEveryMs: number | null;
  /** How far below the high-water mark an incremental walk reads. */
  readonly overlapMs: number;
}

export interface RunSpec extends OwnLimits {
  readonly runId: string;
  /** A plan in the making (`planning`) is discarded at its end, and after a crash by the next run or plan. */
  readonly kind: RunKind;
  readonly startedAt: number;
  readonly sites: readonly RunSiteSpec[];
  /** What is bought first. */
  readonly order: RunOrder;
  /** Epoch ms. Null: no limit. */
  readonly deadlineAt: number | null;
}

/** A process that works on a run, and what it knows about other processes. */
export interface RunWorker {
  /** `host:pid` with a suffix that makes it unique, because the system reuses a pid. Never used twice. */
  readonly process: string;
  readonly now: number;
  /** The process counts as alive for this long after its last heartbeat. No lease lasts longer. */
  readonly aliveMs: number;
  /** Processes that are known to have ended. They count as dead, whatever their leases say. */
  readonly gone: readonly string[];
}

/** Selects the run of a call of `licet run`. */
export type WhichRun =
  /**
   * This run, if it can be resumed. With an asker, only while what becomes of it is that this one goes on with it: a person may have stopped the run
   * since it was looked for.
   */
  | { readonly kind: "named"; readonly runId: string; readonly asker?: Extract<Asker, { by: "service" }> | undefined }
  /** The newest run that can be resumed. */
  | { readonly kind: "newest" }
  /** An interrupted run of exactly these sites, or else a new one. */
  | { readonly kind: "interrupted" }
  | { readonly kind: "fresh" }
  /**
   * The run of a site and a day that notifications enter (`webhookRunKey`), however it ended, or else a new one. It does not walk. A
   * cancelled one is not reopened.
   */
  | { readonly kind: "webhook"; readonly key: string }
  /**
   * A new run that buys from a list. It does not walk: `recordLines` brings its pages. To go on with the run of a list, name the run.
   */
  | ({ readonly kind: "list" } & NewList);

export interface BeginRun extends RunWorker {
  /** Whether a service works on the run, so that the next service goes on with what this one leaves. @default false */
  readonly inService?: boolean;
  readonly which: WhichRun;
  /** The id of a new run. */
  readonly runId: string;
  readonly trigger: RunTrigger;
  /** The slot that begins it. It begins only while this process has the slot, whose row names it from then on. */
  readonly slot?: HeldSlot;
  /** The sites of a new run. */
  readonly sites: readonly RunSiteSpec[];
  /** Every configured site. A resumed run buys only from these, under their current terms. */
  readonly configured: readonly RunSiteSpec[];
  /** The caller's limits. They replace the stored limits, also of a resumed run. Null: the caller gave none. */
  readonly callerLimits: OwnLimits;
  /** The configuration's limits. They hold for a new run, and tighten the limits of a resumed one. */
  readonly limits: OwnLimits & { readonly maxDurationMs: number | null };
  /** What the caller wants to be bought first. Null: the caller said nothing, so a run that goes on keeps its order. */
  readonly callerOrder: RunOrder | null;
  /** The configuration's order. */
  readonly order: RunOrder;
  /**
   * The periods of the configured budgets, for a run whose clock is compared with the newest rows where it begins: two processes that compare
   * and begin at once do not pass each other. Absent: a person trusts the clock, or the run only continues.
   */
  readonly periods?: readonly Period[];
  /** The configuration that decides, as JSON without secrets: kept. The person who starts the run, or lets it go on: an act. @default not kept */
  readonly configuration?: string;
  readonly who?: ActedBy;
}

/** A run of a dead process, or a run that ended with something left, which another run takes over. */
export interface TakenOver {
  readonly runId: string;
  /** The state before the takeover. `running` means that its process died. */
  readonly state: RunState;
  /** Reservations that were released. */
  readonly released: number;
  /** Purchases that were sent without an answer. The caller must probe them and then end the run (`endRun`). */
  readonly started: number;
  /** True for a run that is only freed of what it held, and can still be resumed, under its own limits. */
  readonly isResumable: boolean;
}

export type Begun =
  | {
      readonly kind: "begun";
      readonly spec: RunSpec;
      /** Whether this is a resumed run. */
      readonly resumed: boolean;
      /** How far its list was read. Null when the run has no list. */
      readonly list: ListPosition | null;
      readonly takenOver: readonly TakenOver[];
    }
  /** Another process works on one of these sites. Nothing was done. */
  | {
      readonly kind: "alive";
      readonly runId: string;
      readonly process: string | null;
      readonly hosts: readonly string[];
    };

/** A run that has not ended, with the reservations that it holds. */
export interface UnfinishedRun extends LeftRun {
  readonly runId: string;
  readonly startedAt: number;
  /** The process that works on the run. Null: it has ended. */
  readonly process: string | null;
  /** What started it, and whether a service worked on it last. */
  readonly trigger: RunTrigger;
  readonly inService: boolean;
  /** When its process last sent a heartbeat, epoch ms. Null when no process works on it. */
  readonly lastSeenAt: number | null;
  /** The amounts reserved by both. */
  readonly setAsideMicros: Readonly<Record<string, Micros>>;
}

/** What `prune` deleted, or would delete. */
export interface Pruned {
  readonly denials: number;
  /** Runs that bought nothing. No money, content or evidence refers to them. */
  readonly runs: number;
  /** Examples of catalog entries that were not pages. */
  readonly examples: number;
  /** Notifications whose page was decided, or that were ignored. */
  readonly hints: number;
  /** Alerts, with their deliveries, but for those about purchases in doubt and open items. */
  readonly alerts: number;
  /** Rows of slots of schedules. The newest of each schedule stays. */
  readonly slots: number;
}

/** Runs and their sites. */
export interface RunLedger {
  /** False for a new ledger, in which no run was ever recorded. */
  hasRuns(): Promise<boolean>;
  /**
   * Creates a run with its sites and a first `walk` batch for each. Idempotent by `runId`. The walk of a site is incremental when its last
   * complete walk left a high-water mark and the last full walk is younger than `fullWalkEveryMs`.
   * @param worker the process that works on it, which `renewRun` keeps alive. Without it, the run is alive while one of its leases is
   * @param list of a plan in the making: its pages come from the list (`recordLines`), and no site is walked
   */
  createRun(spec: RunSpec, worker?: RunWorker, list?: NewList): Promise<void>;
  /**
   * Begins a new run or resumes an earlier one, in one transaction. The transaction also checks whether another process has a live run of
   * one of the sites, so of two concurrent calls only one begins. A run is alive while it is `running` and its process, or the holder of
   * one of its leases, sent a heartbeat recently enough.
   *
   * A resumed run is decided again. Reserved purchases are released (`decided_anew`), and their pages wait for a new decision under the
   * current terms. Started purchases stay, to be probed. Leases and backoffs end. Stops that may no longer be valid are removed: all
   * except `not_enabled` and those that an open item of the site keeps. Sites that are not configured are stopped. Limits count from the
   * beginning of the run. A run that a limit had ended walks again.
   *
   * What becomes of every other unfinished run is asked of `whatBecomes` (src/run). What is superseded, cleared or freed by the new run loses
   * its reservations (`taken_over`). It ends now, or, if it has started purchases, when the caller has probed them and calls `endRun`. A run
   * that was only freed is `interrupted` by this and can still be resumed under its own limits. Idempotent by process.
   * @throws LicetError RUN_NOT_FOUND when the run to resume does not exist or is over; CLOCK_BEHIND when money would count in a period that is
   * over (`periods`), and nothing was done
   */
  beginRun(begin: BeginRun): Promise<Begun>;
  /**
   * Cancels a run for a person. Reserved purchases are released (`run_ended`), and a process that works on the run finds that it lost the run.
   * `ended`: nothing was started, and the run is cancelled. Otherwise the caller owns it now, must probe what was started, and call again.
   * @throws LicetError RUN_NOT_FOUND when the run does not exist, is complete, or was taken over
   */
  cancelRun(
    cancel: RunWorker & { readonly runId: string; readonly who?: ActedBy },
  ): Promise<{ readonly ended: boolean; readonly released: number; readonly started: number }>;
  /**
   * Gives the caller the ownership of a run that its process left, only to finish what it had started: what becomes of it (`whatBecomes`) is asked
   * inside the write, and nothing is done unless it is `freed` or `cleared`. Reserved purchases are released, started ones stay to be probed;
   * then the caller ends the run in `state`: `cancelled` when it is over for good. Who ended it before stays written. Null: nothing is to be done.
   */
  freeRun(free: RunWorker & { readonly runId: string; readonly asker: Asker }): Promise<{
    readonly state: "cancelled" | "interrupted" | "failed";
    readonly released: number;
    readonly started: number;
  } | null>;
  /**
   * Records a heartbeat of the run's process, and who has told the process to end the run. False when the run has ended or was taken over; the
   * process must stop.
   */
  renewRun(renewal: {
    readonly runId: string;
    readonly process: string;
    readonly aliveUntil: number;
    /** Of a person with a name, an act is kept. @default null: nobody has stopped it */
    readonly stopped?: (StoppedBy & { readonly at: number }) | null;
  }): Promise<boolean>;
  /** Every run that has not ended, oldest first. */
  listUnfinished(query: Pick<RunWorker, "now" | "aliveMs" | "gone">): Promise<readonly UnfinishedRun[]>;
  /**
   * Ends a run. An `interrupted` or `failed` run may be resumed: its reservations are released (`decided_anew`) and their pages wait
   * again. For any other state, and for a run that was taken over, reservations are released (`run_ended`), started purchases become in
   * doubt, and the frontier is deleted. Idempotent. The counts stay. With `process`, the run ends only while this process owns it.
   *
   * A site's high-water mark changes only here, and only when its walk was complete and nothing was left: no page undecided, denied by a
   * limit, or released. Otherwise an incremental walk would never see those pages again.
   *
   * Who ended it (`endedBy`) is not written over for a run that was only probed since it had ended.
   *
   * With `drained`, only a run without open batches is ended. False: another process has resumed it, and there is work again.
   */
  endRun(end: {
    readonly runId: string;
    readonly state: Exclude<RunState, "running">;
    readonly reason: string | null;
    /** @default "itself" */
    readonly endedBy?: Exclude<EndedBy, "nobody">;
    /** The person who ended it, unless that is written. Kept as an act. @default null */
    readonly who?: ActedBy | null;
    readonly now: number;
    readonly drained?: boolean;
    readonly process?: string;
  }): Promise<boolean>;
  /** Deletes a plan with its working data. What it learned about pages (URL, `lastMod`) stays. */
  discardPlan(runId: string): Promise<void>;
  /**
   * Deletes data that only explains: denials of runs that ended before a given time, the examples of bad catalog entries of these runs,
   * those of these runs that bought nothing, and slots of schedules. Facts and counts stay. Idempotent.
   */
  prune(request: { readonly before: number; readonly dryRun: boolean }): Promise<Pruned>;
}
