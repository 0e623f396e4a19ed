/** What the ledger says in numbers, for monitoring. */
import type { Balance, Budget } from "../budget/budget.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { PurchaseState } from "../purchase/purchase.ts";
import type { RunState } from "../run/run-state.ts";
import type { HintState } from "./hint-ledger.ts";
import type { BatchesOfStage } from "./lease-ledger.ts";
import type { SlotState } from "./schedule-ledger.ts";
import type { OpenItemKind } from "./usage-ledger.ts";

/** What came of pages, counted over all runs. `seen` is not an outcome: it counts every page that a run saw. */
export type TotalKind = "seen" | "unchanged" | "excluded" | "denied" | "settled" | "released" | "in_doubt";

/** Instants are epoch ms. A list leaves out what is zero. */
export interface LedgerFigures {
  /** Totals only grow: no resolution and no pruning makes them smaller. */
  readonly totals: readonly {
    readonly host: string;
    readonly kind: TotalKind;
    /** The denial reason or the release reason. Empty for other kinds. */
    readonly reason: string;
    readonly count: number;
  }[];
  /** All that was ever settled on the sites asked for, fees included. */
  readonly spend: readonly { readonly host: string; readonly currency: Currency; readonly spentMicros: Micros }[];
  /** Budgets of runs are left out: each run has a balance of its own. */
  readonly budgets: readonly {
    readonly budget: Budget;
    readonly balance: Balance;
    /** Whether a page did not fit it in its present period, under its limit of now. */
    readonly isSpent: boolean;
  }[];
  /** Purchases that are in each state now. */
  readonly purchases: Readonly<Record<PurchaseState, number>>;
  readonly oldestDoubtAt: number | null;
  readonly openItems: readonly { readonly kind: OpenItemKind; readonly count: number }[];
  /** Uses by state. */
  readonly uses: Readonly<Record<"pending" | "batched" | "settled" | "rejected" | "not_reported", number>>;
  readonly oldestUnreportedAt: number | null;
  /** Runs that are at work, or can be resumed. */
  readonly unfinishedRuns: readonly { readonly state: RunState; readonly count: number }[];
  /** Work of the runs that are running. */
  readonly batches: readonly BatchesOfStage[];
  readonly hints: readonly { readonly host: string; readonly state: HintState; readonly count: number }[];
  /** The readings of the gateway's delivery records. Null: none was completed, and none failed. */
  readonly sweep: { readonly completedAt: number | null } | null;
  /** The recorded schedules: their slots by state, the newest slot that has come, and how many rows lie ahead of the clock. */
  readonly schedules: readonly {
    readonly name: string;
    /** No slot up to here is owed. */
    readonly since: number;
    readonly slots: readonly { readonly state: SlotState; readonly count: number }[];
    readonly newest: { readonly slotAt: number; readonly claimedAt: number } | null;
    readonly ahead: number;
  }[];
  readonly alerts: { readonly pending: number; readonly givenUp: number };
}

export interface FiguresReader {
  /**
   * Reads what a monitoring system samples every few seconds. Its cost grows with the sites and with what is open, and not with what was
   * bought.
   */
  readFigures(query: {
    readonly budgets: readonly Budget[];
    readonly hosts: readonly string[];
    readonly now: number;
  }): Promise<LedgerFigures>;
}
