/** What `agent.status` returns. */
import type { Budget } from "../../budget/budget.ts";
import type { UndeliveredAlert } from "../../ledger/alert-ledger.ts";
import type { LedgerCopy } from "../../ledger/copy-ledger.ts";
import type { HintState, SweepState } from "../../ledger/hint-ledger.ts";
import type { LedgerStatus } from "../../ledger/ledger-status.ts";
import type { SitePause } from "../../ledger/pause-ledger.ts";
import type { UnfinishedRun } from "../../ledger/run-ledger.ts";
import type { KnownService, KnownWorker } from "../../ledger/service-ledger.ts";
import type { DaySpend } from "../../ledger/spend.ts";
import type { KnownWait } from "../../ledger/wait-ledger.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import type { BudgetWarning } from "../alerts/budget-warnings.ts";
import type { ExpiringReport } from "../rights/rights-report.ts";
import type { ListedRun } from "./runs-report.ts";

/** One budget now, in micros of its currency. */
export interface BudgetStatus {
  readonly label: string;
  readonly budget: Budget;
  /** Null for a `run` budget, which has one balance a run. The budget counts all four amounts. */
  readonly balance: {
    /** Without fees. */
    readonly settledMicros: Micros;
    readonly feeMicros: Micros;
    readonly inDoubtMicros: Micros;
    readonly reservedMicros: Micros;
  } | null;
  /** Never negative. */
  readonly leftMicros: Micros | null;
  /** The amount above the limit. The limit was lowered, or a charge or use could not be refused. */
  readonly overMicros: Micros | null;
}

/** What else the status contains. */
export interface StatusOptions {
  /** Also the stored pages whose rights ended, or end within this duration, such as `30d`. @default none */
  readonly expiring?: string | undefined;
}

/** A run that has not ended, with the reservations that it holds, and its limits. */
export interface UnfinishedRunStatus extends Omit<UnfinishedRun, "limits"> {
  readonly limits: {
    /** Approvals of the whole run. Null: no limit. */
    readonly maxPages: number | null;
    /** Money that the whole run may reserve or spend, fees included. Null: no limit except the budgets. */
    readonly maxSpendMicros: Micros | null;
    readonly currency: Currency | null;
  };
}

/** The UTC day of the report, so far. */
export interface TodayStatus {
  /** Such as `2026-11-23`. */
  readonly day: string;
  /** By currency, what the purchases cost that were decided on this day, as budgets per day count them. Empty: there were none. */
  readonly spend: Readonly<Record<Currency, DaySpend>>;
}

/** `status --json`. */
export interface StatusReport extends Omit<LedgerStatus, "totals"> {
  readonly today: TodayStatus;
  /** Set when the ledger was restored from a copy. `acceptedAt` null: it refuses to buy and to report. */
  readonly copy: LedgerCopy | null;
  /** The sites that a person has paused: nothing of them is bought. */
  readonly paused: readonly SitePause[];
  /** The newest service of this ledger, at work or not. Null: there was none. */
  readonly service: KnownService | null;
  /**
   * Its workers on other machines, as it knew them at most some seconds ago, also those that were lost in the last 24 hours. Without a service at work
   * all of them are lost: nobody hears them.
   */
  readonly workers: readonly KnownWorker[];
  /** What runs and the service (`runId` null) wait for at present, oldest first. Nothing ends for it. */
  readonly waits: readonly KnownWait[];
  /** The newest runs. */
  readonly runs: readonly ListedRun[];
  /** How many there are, listed or not. */
  readonly totals: LedgerStatus["totals"] & { readonly runs: number };
  /** Runs that have not ended, with the reservations that they hold. */
  readonly unfinished: readonly UnfinishedRunStatus[];
  /** The end of rights. Null when it was not asked for (`expiring`). */
  readonly rights: ExpiringReport | null;
  readonly budgets: readonly BudgetStatus[];
  /** Alerts that are pending, and those that were given up among the newest. */
  readonly alerts: {
    readonly pending: number;
    /** `to`: the receiver's host or program. */
    readonly undelivered: readonly (Omit<UndeliveredAlert, "receiver"> & { readonly to: string })[];
  };
  /** The budgets of which at least 80 % is used. */
  readonly budgetWarnings: readonly BudgetWarning[];
  /**
   * Notifications by state, and how far the gateway's delivery records were read. `waiting`: not yet in a run, or a run could not decide the page.
   * `entered`: in a webhook run that has not ended. `unknown_site`: of no configured site, recorded and ignored.
   */
  readonly notifications: Readonly<Record<HintState, number>> & { readonly history: SweepState };
}
