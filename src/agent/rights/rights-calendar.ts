/** What `agent.rights` takes and returns. */
import type { EndedRights, EndingDocument } from "../../ledger/rights-calendar.ts";
import type { ExpiryAction } from "../../policy/rule.ts";

/** How far the calendar looks. */
export interface RightsOptions {
  /** A duration such as `90d`. @default "90d" */
  readonly within?: string | undefined;
}

/** Stored pages of a site whose rights end on a UTC day, and what happens then. */
export interface EndingOnDay {
  /** Such as `2026-11-23`. */
  readonly day: string;
  readonly host: string;
  readonly action: ExpiryAction;
  readonly pages: number;
}

/** `rights --json`: when the rights to stored pages end, under the policies of now. */
export interface RightsCalendar {
  /** Until when it looks, epoch ms. */
  readonly until: number;
  /** Every end before this instant is counted. It is before `until` where more end than one look counts: `licet status --expiring` counts all. */
  readonly countedUntil: number;
  /** By day, site and action, the first day first. */
  readonly days: readonly EndingOnDay[];
  /** The pages that end next. */
  readonly earliest: readonly EndingDocument[];
  /** What has ended already, by site and action. */
  readonly ended: readonly EndedRights[];
}
