/** What the ledger says that can be a reason for an alert. Plain data; micros are of the budget's currency. */
import type { Balance, Budget } from "../budget/budget.ts";
import type { BalanceKeyInCurrency } from "../budget/covering-budgets.ts";
import type { WaitPlace } from "../run/wait.ts";

/** One budget in one period. */
export interface BudgetFact {
  readonly budget: Budget;
  readonly key: BalanceKeyInCurrency;
  readonly balance: Balance;
  /** When a page did not fit it, under this limit. Null: every page fitted so far. Epoch ms. */
  readonly spentAt: number | null;
}

export interface FailedRunFact {
  readonly runId: string;
  /** Its only site. Null: it has several. */
  readonly host: string | null;
  /** Why the first of its sites was stopped. Null: none was. */
  readonly stop: string | null;
  readonly reason: string | null;
  readonly endedAt: number;
}

/** Slots of a site that failed one after the other, before a run began. The latest word of their schedule. */
export interface FailedSlotsFact {
  readonly schedule: string;
  /** The first of them, and how many they are. */
  readonly firstSlotAt: number;
  readonly slots: number;
  /** Why the last one failed. */
  readonly reason: string | null;
}

/** The purchases in doubt of one run. */
export interface DoubtFact {
  readonly runId: string;
  /** Their only site. Null: they are of several. */
  readonly host: string | null;
  /** The reason of one of them. */
  readonly reason: string;
  readonly count: number;
  readonly newestAt: number;
}

export interface OpenItemFact {
  readonly id: number;
  readonly kind: string;
  readonly detail: string;
  readonly url: string | null;
  readonly host: string | null;
  readonly at: number;
}

/** Uses that wait for their report, or whose report was not answered. */
export interface UnreportedFact {
  readonly uses: number;
  readonly oldestAt: number;
  readonly oldestUseId: number;
  readonly newestUseId: number;
}

/** What runs and the service have waited for, of one kind of place, since the oldest of them began. */
export interface WaitFact {
  readonly place: WaitPlace;
  readonly code: string;
  readonly message: string;
  readonly since: number;
  /** The runs that wait. Empty: the service itself. */
  readonly runIds: readonly string[];
}

/** Little room on the disk of the ledger. */
export interface LowDiskFact {
  readonly freeBytes: number;
  readonly lowDiskBytes: number;
}

export interface AlertFacts {
  readonly budgets: readonly BudgetFact[];
  readonly failedRuns: readonly FailedRunFact[];
  readonly failedSlots: readonly FailedSlotsFact[];
  readonly doubts: readonly DoubtFact[];
  /** Those of which no alert was raised, oldest first. */
  readonly openItems: readonly OpenItemFact[];
  readonly unreported: UnreportedFact | null;
  /** Of runs and a service that are alive. */
  readonly waits: readonly WaitFact[];
}
