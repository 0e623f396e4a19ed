/** What `agent.prune` takes and returns. */

/** What may go. */
export interface PruneOptions {
  /** A duration such as `30d`. @default "90d" */
  readonly olderThan?: string | undefined;
  /** Reports what would be deleted and deletes nothing. @default false */
  readonly dryRun?: boolean | undefined;
  /** The clock is right, although it differs from the gateway's or is far ahead of the ledger. @throws LicetError CLOCK_UNSURE @default false */
  readonly trustClock?: boolean | undefined;
}

/** `prune --json`. */
export interface PruneReport {
  readonly dryRun: boolean;
  /** Everything older than this was deleted. ISO 8601. */
  readonly before: string;
  readonly denials: number;
  readonly runs: number;
  readonly examples: number;
  /** Slots of schedules. */
  readonly slots: number;
  /** Notifications whose page was decided, or that were ignored. */
  readonly hints: number;
  readonly alerts: number;
}
