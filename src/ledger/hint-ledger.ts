/** Hints: notifications that a page was created or updated. A hint is only a reason to look at the page. */
import type { RefreshTerms } from "../catalog/freshness.ts";
import type { Intent } from "../policy/rule.ts";

export const HINT_KINDS = ["created", "updated"] as const;
/** What a notification says of its page. */
export type HintKind = (typeof HINT_KINDS)[number];

/** Where a hint comes from: a webhook delivery, or the gateway's delivery records. */
export const HINT_SOURCES = ["delivery", "history"] as const;
export type HintSource = (typeof HINT_SOURCES)[number];

/**
 * `waiting`: not yet in a run, or a run could not decide its page. `entered`: in the frontier of a webhook run that has not ended. `done`:
 * a run decided the page, or the page was not worth a quote. `unknown_site`: the URL is of no configured site. `excluded`: the site's
 * globs leave the page out.
 */
export const HINT_STATES = ["waiting", "entered", "done", "unknown_site", "excluded"] as const;
/** What became of a notification. */
export type HintState = (typeof HINT_STATES)[number];

/** A notification that was received, or that a delivery record shows. */
export interface NewHint {
  /** The id of the webhook in the configuration. */
  readonly subscription: string;
  /** The configured site. Null for `unknown_site`. */
  readonly host: string | null;
  /** The canonical URL. Of no configured site: as it was received. */
  readonly url: string;
  /** The spelling that is sent to the gateway. Of no configured site: as it was received. */
  readonly wireUrl: string;
  readonly kind: HintKind;
  /** The date of the notification as it was received. */
  readonly timestamp: string;
  /** The same date, epoch ms. Null when it cannot be parsed. A date in the future counts as `now`. */
  readonly at: number | null;
  /**
   * The page changed after this instant, epoch ms, and not later than `at`. A version that was bought in between is not bought again.
   * @default `at`; without a date, a minute before `now`
   */
  readonly changedAfter?: number;
  readonly source: HintSource;
  readonly state: Extract<HintState, "waiting" | "unknown_site" | "excluded">;
}

/** A hint that no run could decide waits until the next day at most: its budgets are new. */
export const LONGEST_HINT_WAIT_MS = 86_400_000;

/** Names the one run of a site and a UTC day that its notifications enter. */
export function webhookRunKey(host: string, now: number): string {
  return `webhook:${host}:${new Date(now).toISOString().slice(0, 10)}`;
}

/** The hints of a site that no run has decided. */
export interface HintWork {
  readonly host: string;
  readonly waiting: number;
  /** When the next of those that wait may be admitted, epoch ms, as the clock of then said (src/time/wait-end.ts); null when none waits. */
  readonly nextAt: number | null;
  /** In the frontier of a run that has not ended, or whose process died. */
  readonly entered: number;
}

/** A hint that may be admitted now. */
export interface DueHint {
  readonly hintId: number;
  /** The canonical URL. */
  readonly url: string;
}

export interface HintAdmission {
  readonly runId: string;
  /** Its process. When another process owns the run, nothing is admitted. */
  readonly process: string;
  readonly host: string;
  readonly now: number;
  readonly hints: readonly (DueHint & {
    /** True when the site's include and exclude globs exclude the page by now. */
    readonly excluded: boolean;
  })[];
  readonly refresh: RefreshTerms;
  readonly intent: Intent;
  /** Pages per quote batch. */
  readonly quoteBatchSize: number;
}

export interface HintsAdmitted {
  /** True when the run has ended or was taken over, or its site was stopped. Nothing was admitted. */
  readonly stale: boolean;
  /** In the frontier now. */
  readonly entered: number;
  /** Not worth a quote: the version is held, or a newer one. */
  readonly unchanged: number;
  readonly excluded: number;
}

/** A hint that is known of a page: whichever way it came, and whatever became of it. */
export interface KnownHint {
  readonly wireUrl: string;
  readonly kind: HintKind;
  readonly source: HintSource;
  readonly timestamp: string;
  readonly receivedAt: number;
  readonly state: HintState;
}

/** How far the gateway's delivery records were read, and what the readings brought. */
export interface SweepState {
  /** Every record of an attempt up to here was read. Null before the first complete reading. */
  readonly coveredUntil: number | null;
  readonly completedAt: number | null;
  /** Totals of all complete readings. */
  readonly sweeps: number;
  readonly records: number;
  /** Notifications that never arrived, found in the delivery records. */
  readonly admitted: number;
  /** Failures since the last complete reading. */
  readonly failures: number;
  readonly lastError: string | null;
}

/** Notifications, from their arrival to the decision on their page. */
export interface HintLedger {
  /**
   * Records notifications in one transaction. Idempotent by wire URL, timestamp and kind: a notification that was recorded before is
   * `known`, whatever its state is by now. One that was of no configured site, or excluded, and now is of a site, is recorded anew. Of the
   * notifications that are only ignored, the newest few thousand are kept.
   */
  recordHints(record: {
    readonly hints: readonly NewHint[];
    readonly now: number;
  }): Promise<{ readonly results: readonly ("recorded" | "known")[] }>;
  /** The sites that have hints to decide, in no order. */
  readHintWork(): Promise<readonly HintWork[]>;
  /** Hints of a site that wait and may be admitted at `now`, oldest first. */
  listDueHints(query: {
    readonly host: string;
    readonly now: number;
    readonly limit: number;
  }): Promise<readonly DueHint[]>;
  /**
   * Admits hints into the frontier of the webhook run of their site, in one transaction. The date of a notification becomes the page's
   * `lastMod`, unless a later one is known. A page that is held in that version, or was bought after the notification's date, is not quoted
   * (catalog/freshness.ts). Idempotent: a hint that does not wait is passed over.
   *
   * When the run ends, is interrupted or is taken over, the same transaction decides on its hints: `done` where the page was decided for
   * good, else `waiting` again. A run that is killed keeps them until it is reopened or taken over.
   */
  admitHints(admission: HintAdmission): Promise<HintsAdmitted>;
  /** The hints of these pages that were received at or after `since`, oldest first. */
  listHintsOf(query: {
    readonly pages: readonly Pick<KnownHint, "wireUrl" | "kind">[];
    readonly since: number;
  }): Promise<readonly KnownHint[]>;

  /** How many there are of each state, whatever the site. */
  countHints(): Promise<Readonly<Record<HintState, number>>>;

  /** How far the delivery records were read. */
  readSweep(): Promise<SweepState>;
  /** Records a complete reading. A reading that covers less than an earlier one moves nothing back. */
  recordSweep(reading: {
    readonly coveredUntil: number;
    readonly records: number;
    readonly admitted: number;
    readonly now: number;
  }): Promise<void>;
  /** Records a reading that failed. */
  recordSweepFailure(failure: { readonly error: string }): Promise<void>;
}
