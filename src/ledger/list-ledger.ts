/** Lists that runs buy from: the pages that their lines name, and how far they were read. */
import type { RefreshTerms } from "../catalog/freshness.ts";
import type { AppliedPlan, PlanBasis } from "../list/applied-plan.ts";
import type { LineFault } from "../list/line-faults.ts";
import type { ListedTerms } from "../list/list-entry.ts";
import type { Intent } from "../policy/rule.ts";
import type { DenialReason } from "../policy/verdict.ts";
import type { RateListing } from "../rates/rate.ts";
import type { ExpiryPolicies } from "../rights/rights.ts";

/**
 * `list`: a list that somebody wrote. `plan`: a saved plan. `fetch`: a few pages that are wanted now; such a run may work beside any other run of
 * its sites, takes over none, and is never resumed.
 */
export const LIST_SOURCES = ["list", "plan", "fetch"] as const;
/** Where the list of a run comes from. */
export type ListSource = (typeof LIST_SOURCES)[number];

/** The list that a new run begins with. */
export interface NewList {
  readonly source: ListSource;
  /** The file, absolute. Null for standard input and for a program's own list. */
  readonly path: string | null;
  /** Only of a plan. */
  readonly plan?: AppliedPlan;
  /** The run of the same file that a limit of its own ended: this one goes on with what is left. Null: none. @default null */
  readonly goesOnFrom?: string | null;
}

/** How far the list of a run was read. */
export interface ListPosition extends NewList {
  /** Lines that were read and recorded. */
  readonly linesRead: number;
  /** The digest over these lines (src/list/list-digest.ts). Null before the first. */
  readonly digest: string | null;
  /** True when the list was read to its end. */
  readonly isRead: boolean;
}

/** A page that a line names, after its URL was checked. */
export interface ListedPage {
  /** The line, from 1. */
  readonly line: number;
  readonly host: string;
  /** The canonical URL: the page's identity. */
  readonly url: string;
  /** The spelling that is sent to the gateway. */
  readonly wireUrl: string;
  /** True when the site's include and exclude globs exclude the page. */
  readonly excluded: boolean;
  readonly terms: ListedTerms;
  readonly key: string | null;
}

export interface RejectedLine {
  readonly line: number;
  readonly reason: LineFault;
  readonly raw: string;
}

export interface LinesRecord {
  readonly runId: string;
  /** Its process. When another process owns the run, nothing is recorded. */
  readonly process: string;
  readonly now: number;
  /** Lines that were read before these. When the ledger has read others, nothing is recorded. */
  readonly linesBefore: number;
  /** How many lines these are, with those that say nothing. */
  readonly lines: number;
  /** The digest over all lines up to the last of these. */
  readonly digest: string;
  /** True when the list ends here. */
  readonly isRead: boolean;
  /** In the order of their lines. Their sites are sites of the run. */
  readonly pages: readonly ListedPage[];
  readonly rejected: readonly RejectedLine[];
  /** The terms of the sites that `pages` names. */
  readonly sites: readonly { readonly host: string; readonly refresh: RefreshTerms; readonly intent: Intent }[];
  /** What happens when the rights to a stored page end. @default nothing */
  readonly expiry?: ExpiryPolicies;
  /** Pages per quote batch. */
  readonly quoteBatchSize: number;
}

export interface LinesRecorded {
  /** True when nothing was recorded: the run has ended or belongs to another process, or these lines were recorded before. */
  readonly stale: boolean;
  /** For each site, the pages that the run had not recorded before. */
  readonly sites: readonly RecordedSite[];
}

export interface RecordedSite {
  readonly host: string;
  readonly seen: number;
  /** How many of them are worth a quote. */
  readonly candidates: number;
  /** An example of those that the ledger also has under the other scheme. `http` and `https` are two pages and are bought twice. */
  readonly otherScheme: string | null;
}

/** Whether more of a list may be read. */
export interface ListIntake extends ListPosition {
  /** Pages that wait to be quoted or bought, over all sites of the run. */
  readonly waitingPages: number;
  /** Sites that something has stopped: their pages are recorded and wait for a run that goes on. */
  readonly stoppedHosts: readonly string[];
}

/** What the lines of a list were. */
export interface ListSummary extends Pick<NewList, "source" | "path"> {
  /** The run of the same file that a limit of its own had ended, and whose rest this run buys. Null: none. */
  readonly goesOnFrom: string | null;
  /** Lines that were read. Those that are not counted below are blank or comments. */
  readonly lines: number;
  /** True when the list was read to its end. */
  readonly isRead: boolean;
  /** Pages that the lines name, each counted once. */
  readonly pages: number;
  /** Lines that name a page again. The first one counts. */
  readonly repeated: number;
  /** Lines that name no page to buy, by reason. */
  readonly rejected: Readonly<Record<string, number>>;
  /** The first few of each reason, in the order of their lines. */
  readonly examples: readonly { readonly line: number; readonly reason: string; readonly raw: string }[];
}

/** A page of a list that its run did not buy. */
export interface UnboughtPage {
  readonly url: string;
  readonly host: string;
  readonly reason: DenialReason;
  readonly detail: string | null;
  readonly terms: ListedTerms;
  /** What the gateway listed when the page was decided. Null when the page was not quoted. */
  readonly listing: RateListing | null;
}

/** The lists of runs. */
export interface ListLedger {
  /**
   * Records the next lines of a run's list in one transaction: pages with their terms, frontier, quote batches, rejected lines, and how far
   * the list was read. A page that is held in a version that is fresh enough is `unchanged`, by what catalogs have said of it. So is one that was bought since the run
   * began that this one goes on from (`goesOnFrom`). The pages of a
   * site that is stopped wait in no batch. Idempotent by position: lines that were recorded are `stale`.
   */
  recordLines(record: LinesRecord): Promise<LinesRecorded>;
  /** What a plan that is made now knows of the purchases of this ledger. Null when it has none. */
  readPlanBasis(): Promise<PlanBasis | null>;
  /** How far the list of a run was read, and how much of it waits. Null when the run has no list. */
  readIntake(runId: string): Promise<ListIntake | null>;
  /**
   * The newest run with a list of this file whose work is not done, by what becomes of it now (`whatBecomes`). `isOver`: a limit of its own ended
   * it, so a new run goes on with what is left. Null when there is none.
   */
  findListRun(
    query: Pick<NewList, "source" | "path">,
  ): Promise<(ListPosition & { readonly runId: string; readonly isOver: boolean }) | null>;
  /**
   * The first pages of a run's list that the run denied, in the order of the list: at most `limit`, without those of one reason.
   * @throws LicetError RUN_NOT_FOUND
   */
  readUnbought(query: {
    readonly runId: string;
    readonly passedOver: DenialReason;
    readonly limit: number;
  }): Promise<readonly UnboughtPage[]>;
}
