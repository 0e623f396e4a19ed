/** What a run reports when it ends, and what `runStatus` and `cancel` say of it. */
import type { PageCounts, RunSummary, SiteSummary } from "../ledger/ledger-reports.ts";
import type { RunState } from "../ledger/run-ledger.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";

/** An earlier run that had ended with something left. */
export interface TakenOverRun {
  readonly runId: string;
  /** Pages that were reserved and not sent: their money is free again. */
  readonly released: number;
  /** Pages that were sent and not answered: they were asked for again, with their own tokens. */
  readonly probed: number;
  /** All pages of that run that are in doubt now. */
  readonly inDoubt: number;
}

/** `run --json` (design § Command line). */
export interface RunReport {
  readonly runId: string;
  /** True for the first run of a ledger, told by the call that made it: a mistyped `ledger.path` looks like this. */
  readonly newLedger: boolean;
  readonly state: RunState;
  /** Why it ended as it did, in words; null when there is nothing to add. */
  readonly reason: string | null;
  /** Whether an earlier run went on. */
  readonly resumed: boolean;
  /** Whether nothing was done since this run, another process's, was at work. */
  readonly skipped: boolean;
  readonly takenOver: readonly TakenOverRun[];
  readonly sites: readonly SiteSummary[];
  readonly pages: PageCounts;
  readonly denials: Readonly<Record<string, number>>;
  /** Purchases that were released, by reason: the `failed` of `pages`. */
  readonly failures: Readonly<Record<string, number>>;
  /** The first few pages that the gateway refused, in its words. */
  readonly refused: RunSummary["refused"];
  readonly spend: RunSummary["spend"];
  readonly usage: RunSummary["usage"] & {
    /** What the billed uses came to that this call reported, of whatever run, by currency. */
    readonly charged: Readonly<Record<Currency, Micros>>;
    /** Told by the call that ran: whether a use passed a budget, and nobody has closed the open item about it. */
    readonly overBudget: boolean;
  };
  /** What went wrong without ending the run: a refused report, a walk that was cut, a site that was stopped. */
  readonly warnings: readonly string[];
  readonly durationMs: number;
}

/** `cancel --json`: the run as it is now, and what cancelling it did. */
export interface CancelReport extends RunReport {
  /** Pages that were reserved and not sent: their money is free again. */
  readonly released: number;
  /** Pages that were sent and not answered: they were asked for again, with their own tokens. */
  readonly probed: number;
}
