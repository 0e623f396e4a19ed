/** Reads why pages were denied, over several runs. Part of `LedgerReports`. */
import type { DenialReason } from "../policy/verdict.ts";
import type { DeniedPage } from "./run-reports.ts";

/** Where a list of denied pages goes on: behind this page of this run. Row ids. */
export interface DenialCursor {
  readonly run: number;
  readonly page: number;
}

export interface DenialsQuery {
  /** Only this run. Null: the runs that began in `[from, to)`. */
  readonly runId: string | null;
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
  readonly host: string | null;
  /** Of the rules and of the pages; the counts are of all reasons. */
  readonly reason: DenialReason | null;
  readonly after: DenialCursor | null;
  /** How many pages are listed at most. */
  readonly limit: number;
}

/** How many pages of a site were denied for a reason. */
export interface DenialCount {
  readonly host: string;
  readonly reason: DenialReason;
  readonly pages: number;
}

/** How many pages a rule denied. */
export interface RuleDenials {
  readonly policyName: string;
  /** From 0. Null: no rule decided it. */
  readonly ruleIndex: number | null;
  readonly reason: DenialReason;
  readonly pages: number;
}

/** A denied page, with the run that denied it. */
export interface DeniedPageOfRun extends DeniedPage {
  readonly runId: string;
}

export interface FoundDenials {
  /** From the counters of the runs, so also of denials whose rows were pruned. */
  readonly counts: readonly DenialCount[];
  /** How many runs were counted: the newest ones. */
  readonly runs: number;
  /** There are older runs in this time, which were not counted. */
  readonly isCut: boolean;
  /** Over the rows of the newest denials, as many as one look may read. */
  readonly rules: readonly RuleDenials[];
  /** How many denied pages `rules` counts. */
  readonly ruledPages: number;
  /** The newest runs first, and the pages of a run in a stable order. May be fewer than asked for, although more follow. */
  readonly pages: readonly DeniedPageOfRun[];
  /** Null: no more pages follow. */
  readonly next: DenialCursor | null;
}

export interface DenialReports {
  /**
   * Why pages were denied. The counts read the counters of at most 5,000 runs; the rules and the list look at 10,000 rows each.
   * @throws LicetError RUN_NOT_FOUND
   */
  readDenials(query: DenialsQuery): Promise<FoundDenials>;
}
