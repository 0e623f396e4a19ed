/** The report of a run when it ends; `runStatus` and `cancel` return it too. */
import type { RunSummary } from "../../ledger/ledger-reports.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import type { BudgetWarning } from "../alerts/budget-warnings.ts";
import type { PlanOutcome } from "../plans/plan-outcome.ts";

/** An earlier run of a dead process that left something open. */
export interface TakenOverRun {
  readonly runId: string;
  /** Pages that were reserved and not sent. Their money was released. */
  readonly released: number;
  /** Pages that were sent without an answer. They were probed with their own tokens. */
  readonly probed: number;
  /** All pages of that run that are in doubt now. */
  readonly inDoubt: number;
}

/** What a run did: the document of `licet run --json`. */
export interface RunReport
  extends Omit<RunSummary, "startedAt" | "endedAt" | "resumedAt" | "workedBeforeMs" | "usage"> {
  /**
   * True for the first run of a ledger, only in the report of the call that created it. A mistyped `ledger.path` has this effect.
   */
  readonly newLedger: boolean;
  /** Whether this run resumed an earlier one. */
  readonly resumed: boolean;
  /** True when nothing was done because another process works on this run. */
  readonly skipped: boolean;
  readonly takenOver: readonly TakenOverRun[];
  /** Set only by the call that ran: what became of the pages of its plan. Null: the run does not buy from a plan. */
  readonly plan: PlanOutcome | null;
  readonly usage: RunSummary["usage"] & {
    /** Charges of the billed uses that this call reported, of any run, by currency. */
    readonly chargedMicros: Readonly<Record<Currency, Micros>>;
    /** Set only by the call that ran: whether a use exceeded a budget and the open item about it is not closed yet. */
    readonly overBudget: boolean;
  };
  /** Set only by the call that ran: the budgets of its sites of which at least 80 % is used at its end. */
  readonly budgetWarnings: readonly BudgetWarning[];
  /** Problems that did not end the run: a refused report, an incomplete walk, a stopped site. */
  readonly warnings: readonly string[];
  /** From its begin to its end, with the pauses before it was resumed. */
  readonly durationMs: number;
  /** The part of it in which a process worked on the run. */
  readonly workedMs: number;
}

/** `cancel --json`: the run as it is now, and what the call did. */
export interface CancelReport extends RunReport {
  /** Pages that were reserved and not sent. Their money was released. */
  readonly released: number;
  /** Pages that were sent without an answer. They were probed with their own tokens. */
  readonly probed: number;
}

/** @param now the end time for the duration of a run that has not ended */
export function toRunReport(
  { startedAt, endedAt, resumedAt, workedBeforeMs, usage, ...summary }: RunSummary,
  { warnings, newLedger }: Pick<RunReport, "warnings" | "newLedger">,
  now: number,
): RunReport {
  return {
    ...summary,
    newLedger,
    resumed: false,
    skipped: false,
    takenOver: [],
    plan: null,
    usage: { ...usage, chargedMicros: {}, overBudget: false },
    budgetWarnings: [],
    warnings,
    durationMs: (endedAt ?? now) - startedAt,
    workedMs: workedBeforeMs + Math.max(0, (endedAt ?? now) - (resumedAt ?? startedAt)),
  };
}
