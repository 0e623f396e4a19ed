/** What persons decide and do about the ledger, and who it was. */

export const ACT_KINDS = [
  "purchase_charged",
  "purchase_not_charged",
  "report_taken",
  "report_not_taken",
  "item_closed",
  "content_purged",
  "copy_accepted",
  "run_started",
  "run_resumed",
  "run_stopped",
  "run_cancelled",
  "plan_approved",
  "site_paused",
  "site_unpaused",
  "alert_acknowledged",
] as const;
/** What was done. */
export type ActKind = (typeof ACT_KINDS)[number];

/** Who acts, and why. */
export interface ActedBy {
  /** The name of a person, of the system's user, or of a token of the service; `service` for what a service does by itself. */
  readonly by: string;
  /** In the person's words. Null: no reason was given. */
  readonly reason: string | null;
  /**
   * Names the request, where whoever asks may ask again: one act has it, in the whole ledger. A second request with it does nothing. Absent: no request is
   * known again.
   */
  readonly requestKey?: string | undefined;
}

/** The name of whoever acts with the token of the service that has no name of its own (`serve.token`). */
export const SERVE_TOKEN = "serve.token";

/** What a service does by itself, and nobody asked for: the daily purge. */
export const SERVICE = "service";
