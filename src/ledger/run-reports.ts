/** What the ledger says of its runs: the list, what a run bought, and what it left. */
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { DenialReason } from "../policy/verdict.ts";
import type { PurchaseState } from "../purchase/purchase.ts";
import type { License } from "../rates/license.ts";
import { RUN_KINDS, type RunKind } from "../run/kinds.ts";
import { RUN_STATES, type RunState } from "../run/run-state.ts";
import type { RunTrigger, RunWorker } from "./run-ledger.ts";
import type { Spend } from "./spend.ts";

/** One run in the list of runs. Instants are epoch ms. */
export interface RunOverview {
  readonly runId: string;
  readonly state: RunState;
  /** What started the run. */
  readonly trigger: RunTrigger;
  /** Where its pages come from. */
  readonly kind: ListedRunKind;
  /** Why the run ended in this way. Null when there is nothing to add. */
  readonly reason: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly hosts: readonly string[];
  /** The process that works on the run: `host:pid:` and a suffix. Null when the run has ended. */
  readonly process: string | null;
  /** Whether a process works on the run now. */
  readonly isAlive: boolean;
  /** The process that died while it worked on the run. Null when none did, or when the run was continued afterwards and ended. */
  readonly died: {
    /** The last sign of life of the process. */
    readonly lastSeenAt: number;
    readonly process: string | null;
  } | null;
  /** The later run that took over what this run left. */
  readonly takenOverBy: string | null;
  readonly pagesBought: number;
  readonly pagesInDoubt: number;
  /** What the run has cost, by currency. */
  readonly spend: Readonly<Record<Currency, Spend>>;
}

/** The states by which runs can be listed. */
export const RUN_STATE_FILTERS = [...RUN_STATES, "died"] as const;
/** A state of a run, or `died`: its process ended without ending the run. A run that died is in no other state. */
export type RunStateFilter = (typeof RUN_STATE_FILTERS)[number];

/** The kinds of runs that are listed: a plan in the making is not. */
export const LISTED_RUN_KINDS = RUN_KINDS.filter((kind) => kind !== "planning");
/** Where the pages of a listed run come from. */
export type ListedRunKind = Exclude<RunKind, "planning">;

export interface RunsQuery extends Pick<RunWorker, "now" | "aliveMs" | "gone"> {
  readonly limit: number;
  /** Only this run: its id, or how the id begins. */
  readonly runId: string | null;
  /** Only runs of this site. */
  readonly host: string | null;
  readonly state: RunStateFilter | null;
  /** @default null: every kind */
  readonly kind?: ListedRunKind | null;
  /** Only runs that began then or later, epoch ms. @default null: from the first */
  readonly since?: number | null;
  /** Only runs that began before, epoch ms. @default null: to the last */
  readonly until?: number | null;
  /** Only older runs than this one, by its place in the list (`next`). @default null: from the newest */
  readonly before?: number | null;
}

/** One purchase of a run. Instants are epoch ms. */
export interface RunPurchase {
  readonly purchaseId: number;
  /** The spelling of its quote. Every request and report about the page uses it. */
  readonly url: string;
  readonly host: string;
  readonly state: PurchaseState;
  /** Null for a page that was only indexed. */
  readonly license: License | null;
  readonly quotedMicros: Micros;
  /** The charge without the fee. Null until the purchase is settled. */
  readonly chargedMicros: Micros | null;
  /** The transaction fee: of the charge, or of the quote until it is settled. */
  readonly feeMicros: Micros;
  readonly currency: Currency | null;
  /** Why it was released or is in doubt. */
  readonly reason: string | null;
  readonly detail: string | null;
  readonly reservedAt: number;
  /** When it was settled, released or came in doubt. Null while it is open. */
  readonly endedAt: number | null;
}

/** The purchases of a run on one site, under one kind of license, in one state and one currency, added up. */
export interface PurchaseGroup {
  readonly host: string;
  readonly licenseType: string | null;
  readonly cuid: string | null;
  readonly state: PurchaseState;
  readonly currency: Currency | null;
  readonly purchases: number;
  readonly spend: Spend;
}

/** A page that a run did not buy. */
export interface DeniedPage {
  readonly url: string;
  readonly host: string;
  readonly reason: DenialReason;
  readonly detail: string | null;
  readonly policyName: string;
  /** The rule that denied the page, from 0. Null when no rule did. */
  readonly ruleIndex: number | null;
  readonly at: number;
}

/** Money of a run that no budget compares. */
export interface RunMoney {
  /** What the allowed pages set aside when they were decided, fees included, whatever became of them. */
  readonly allowedMicros: Micros;
  /** What was charged on reports of uses. */
  readonly reportedMicros: Micros;
}

/** A configuration that decided what a run bought, from an instant on. */
export interface KeptConfiguration {
  /** Epoch ms. */
  readonly since: number;
  /** SHA-256 of the text, in lower-case hex. */
  readonly digest: string;
  /** JSON without secrets, in the words of the configuration file. */
  readonly text: string;
}

/** A run that buys from a saved plan. */
export interface PlanRun {
  /** SHA-256 of the first line of its plan, in lower-case hex. */
  readonly digest: string;
  readonly runId: string;
  readonly state: RunState;
  /** When a person approved the plan by beginning the run, epoch ms. Null: nobody is named. */
  readonly approvedAt: number | null;
  /** Who it was. */
  readonly approvedBy: string | null;
  /** Why, in the person's words. */
  readonly reason: string | null;
}

export interface RunPurchasesQuery {
  readonly runId: string;
  readonly host: string | null;
  /** A license type or a cuid. */
  readonly license: string | null;
  readonly state: PurchaseState | null;
  /** Purchases are read in the order of their decisions, after this one. */
  readonly afterPurchaseId: number;
  readonly limit: number;
}

/** Reads runs without changing them. Part of `LedgerReports`. */
export interface RunReports {
  /**
   * Runs, the newest first, and how many match in all. Plans are not listed. Costs a few reads a listed run; with a filter or for the
   * total it reads the rows of all runs.
   */
  readRuns(query: RunsQuery): Promise<{
    readonly runs: readonly RunOverview[];
    readonly total: number;
    /** The `before` of the runs that follow. Null: these are the oldest. */
    readonly next: number | null;
  }>;
  /** What a run set aside for what it allowed, and what was charged on reports of its uses: two rows. @throws LicetError RUN_NOT_FOUND */
  readRunMoney(query: { readonly runId: string }): Promise<Readonly<Record<Currency, RunMoney>>>;
  /**
   * Purchases of a run in the order of their decisions. An empty array means the end. Costs at most one read for each purchase made
   * between the run's begin and its end.
   * @throws LicetError RUN_NOT_FOUND
   */
  readRunPurchases(query: RunPurchasesQuery): Promise<readonly RunPurchase[]>;
  /** All purchases of a run, added up; same cost. @throws LicetError RUN_NOT_FOUND */
  readPurchaseGroups(query: { readonly runId: string }): Promise<readonly PurchaseGroup[]>;
  /**
   * The configurations that a run had, the oldest first: it began with one, and may have gone on under another. An empty array: the run is older than
   * this record, or it is a fetch.
   * @throws LicetError RUN_NOT_FOUND
   */
  readConfigurations(query: { readonly runId: string }): Promise<readonly KeptConfiguration[]>;
  /** The runs that buy from these plans, the newest first, at most `limit` of them. Reads the rows of all lists: there are as few as runs with one. */
  readPlanRuns(query: { readonly digests: readonly string[]; readonly limit: number }): Promise<readonly PlanRun[]>;
  /**
   * Pages that a run denied, in a stable order, and how many match in all. Denials that were pruned are not there any more.
   * @throws LicetError RUN_NOT_FOUND
   */
  readDeniedPages(query: {
    readonly runId: string;
    readonly host: string | null;
    readonly limit: number;
  }): Promise<{ readonly denied: readonly DeniedPage[]; readonly total: number }>;
}
