/** What the checkers are given, and what they say. Nothing here comes from the code that is checked. */
import type Database from "better-sqlite3";
import type { GatewayAccount } from "../gateway/account.ts";
import type { Scenario, ScenarioBudget } from "../scenario.ts";
import type { Step } from "./history.ts";

/** Budgets that processes are started with, until an operator edits them. */
export interface BudgetSet {
  readonly from: number;
  readonly budgets: readonly ScenarioBudget[];
  /** True once no process that was started with them is alive. Left out: the newest set and the one before count as in force. */
  readonly over?: boolean;
}

export type Operation =
  | { readonly kind: "resolve"; readonly purchaseId: number; readonly charged: boolean; readonly at: number }
  | {
      readonly kind: "use";
      readonly url: string;
      readonly times: number;
      readonly at: number;
      /** Whether the operator was told that it was recorded. One that was not told may be recorded all the same. */
      readonly recorded: boolean;
    };

export interface Evidence {
  /** A read-only connection to the ledger's file. */
  readonly db: Database.Database;
  readonly scenario: Scenario;
  /** The gateway's own books: live objects, whose arrays grow. */
  readonly account: GatewayAccount;
  /** The budgets that processes have been started with, oldest first: an operator edits them between runs. */
  readonly budgets: readonly BudgetSet[];
  /** What operators did. */
  readonly operations: readonly Operation[];
  /** URLs of which the gateway was told to charge above the cap. */
  readonly overchargedUrls: ReadonlySet<string>;
  /** URLs whose reports the gateway refuses. */
  readonly refusedReports: ReadonlySet<string>;
  /** The gateway leaves the charge out of its answers: then the quote counts as charged. */
  readonly omitsRate?: boolean;
  readonly now: number;
}

/** How the world stands when faults are off, every run was resumed to its end and reports are flushed. */
export interface EndState {
  /** What the gateway's catalogs list. */
  readonly catalog: readonly { readonly url: string; readonly lastMod: string | null }[];
  /** URLs whose token or content the gateway refuses for good. */
  readonly forbidden: ReadonlySet<string>;
  /**
   * The name of a run that began after the faults were off and the world stood still, and that walked every site in full: what
   * the policy and the budgets allow must be held after it. null when there was none; then no page is looked at.
   */
  readonly quietRun: string | null;
  /** Runs that nobody resumed may stand as interrupted or failed, with what they had open. */
  readonly interruptedAllowed: boolean;
}

export interface Violation {
  readonly promise: 1 | 2 | 3 | 4 | 5 | 6 | 7 | "liveness";
  /** The rule's name, kebab-case. */
  readonly rule: string;
  readonly detail: string;
}

/** Looks at one commit. */
export type StepRule = (step: Step) => Violation | null;
