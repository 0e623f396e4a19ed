/** When rights end, day by day, as far as one look counts. Part of `LedgerReports`. */
import type { ExpiryAction } from "../policy/rule.ts";
import type { ExpiryPolicies, RightsEndReason } from "../rights/rights.ts";
import type { BoundedCount } from "./site-reports.ts";

/** A stored page whose rights will end. */
export interface EndingDocument {
  readonly purchaseId: number;
  readonly url: string;
  readonly host: string;
  readonly endsAt: number;
  readonly why: RightsEndReason;
  readonly action: ExpiryAction;
}

/** Stored pages of a site whose rights have ended, and what is to happen with them. */
export interface EndedRights extends BoundedCount {
  readonly host: string;
  readonly action: ExpiryAction;
}

export interface EndingRights {
  /** The earliest first. */
  readonly ending: readonly EndingDocument[];
  /** Every end before this instant is in `ending`. Later ones are left out. */
  readonly countedUntil: number;
  readonly ended: readonly EndedRights[];
}

export interface RightsCalendarReader {
  /** Reads the indexes of what ends: some 2,000 pages that will end, and 200 of each site that have. */
  readEnding(query: {
    readonly policies: ExpiryPolicies;
    readonly now: number;
    readonly until: number;
  }): Promise<EndingRights>;
}
