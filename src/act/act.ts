/** What persons decide and do about the ledger, and who it was. */

export const ACT_KINDS = [
  "purchase_charged",
  "purchase_not_charged",
  "report_taken",
  "report_not_taken",
  "item_closed",
  "content_purged",
  "copy_accepted",
  "run_stopped",
  "run_cancelled",
] as const;
/** What was done. */
export type ActKind = (typeof ACT_KINDS)[number];

/** Who acts, and why. */
export interface ActedBy {
  /** The name of a person, of the system's user, or of a token of the service; `service` for what a service does by itself. */
  readonly by: string;
  /** In the person's words. Null: no reason was given. */
  readonly reason: string | null;
}

/** The name of whoever acts with the token of the service that has no name of its own (`serve.token`). */
export const SERVE_TOKEN = "serve.token";

/** What a service does by itself, and nobody asked for: the daily purge. */
export const SERVICE = "service";
