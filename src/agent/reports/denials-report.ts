/** What `agent.denials` takes and returns. */
import type { DeniedPageOfRun, RuleDenials } from "../../ledger/denial-reports.ts";
import type { DenialClass, DenialClassCounts } from "../../policy/denial-class.ts";
import type { DenialReason } from "../../policy/verdict.ts";

/** Which denials. */
export interface DenialsOptions {
  /** Only this run. @default the runs that began in the days that are asked for */
  readonly run?: string | undefined;
  /** The first UTC day: `"2026-11-20"`, `"today"` or `"yesterday"`. @default 30 days up to today */
  readonly from?: string | undefined;
  /** With `from`, the last UTC day, which is included. At most 366 days. @default today */
  readonly to?: string | undefined;
  /** Only this site: its host. It need not be configured any more. */
  readonly site?: string | undefined;
  /** Only this reason in `rules` and `pages`. The counts are of all reasons. */
  readonly reason?: DenialReason | undefined;
  /** At most so many pages. @default 50 */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before, with the same filters. */
  readonly cursor?: string | undefined;
}

/** How many pages were denied for a reason. */
export interface ReasonDenials {
  readonly reason: DenialReason;
  readonly class: DenialClass;
  readonly pages: number;
}

/** How many pages of a site were denied. */
export interface SiteDenials {
  readonly host: string;
  readonly pages: number;
}

/** How many pages a rule denied, with its text. */
export interface DenialsOfRule extends RuleDenials {
  /** The text of the rule as it is configured now. Null: no rule decided, or there is no such rule any more. */
  readonly rule: string | null;
}

/** `denials --json`: why pages were not bought. A page that several runs denied counts once for each of them. */
export interface DenialsReport {
  /** The first and the last UTC day on which the runs began. Both are included. Null: it is of one run. */
  readonly from: string | null;
  readonly to: string | null;
  /** Null: all runs of these days. */
  readonly runId: string | null;
  /** Null: all sites. */
  readonly site: string | null;
  /** How many runs were counted: the newest ones of these days. */
  readonly runs: number;
  /** True when these days have more runs than one look counts: the older ones are not in any number here. */
  readonly olderRunsLeftOut: boolean;
  readonly total: number;
  /** The parts of `total` by class. */
  readonly classes: DenialClassCounts;
  /** The parts of `total` by reason, the largest first. */
  readonly reasons: readonly ReasonDenials[];
  /** The parts of `total` by site, the largest first. */
  readonly sites: readonly SiteDenials[];
  /** By rule and reason, over the newest denials that still have rows. `ruledPages` says how many these are. */
  readonly rules: readonly DenialsOfRule[];
  readonly ruledPages: number;
  /** Denied pages, those of the newest runs first. */
  readonly pages: readonly DeniedPageOfRun[];
  /** Give it as `cursor` to read on; a page may have fewer rows than its limit, although more follow. Null: this is the last page. */
  readonly nextCursor: string | null;
}
