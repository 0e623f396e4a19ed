/** Hints: notifications that a page was created or updated. A hint is only a reason to look at the page. */

export const HINT_KINDS = ["created", "updated"] as const;
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
}
