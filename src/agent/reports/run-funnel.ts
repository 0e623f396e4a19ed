/** What `agent.runFunnel` returns. */
import type { Act } from "../../ledger/act-ledger.ts";
import type { RunSummary } from "../../ledger/ledger-reports.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import type { ListedRun } from "./runs-report.ts";

export const FUNNEL_STEPS = ["seen", "quoted", "allowed", "bought", "reported"] as const;

/** How far pages of a run came. */
export interface FunnelStep {
  readonly step: (typeof FUNNEL_STEPS)[number];
  /** Pages that came so far; of `reported`, uses. */
  readonly count: number;
  /**
   * The money of the step, by currency: what the allowed pages set aside when they were decided, what the bought pages were charged with their fees, and
   * what was charged on reports of uses. Empty where a page has no price yet: before the policy chose one of its rates.
   */
  readonly micros: Readonly<Record<Currency, Micros>>;
}

/** How fast a run works. */
export interface RunSpeed {
  readonly durationMs: number;
  /** The part of it in which a process worked on the run. */
  readonly workedMs: number;
  /** Bought in an hour of work, rounded down. Null: it has not worked for a second yet. */
  readonly pagesPerHour: number | null;
}

/** A configuration that decided what the run bought. */
export interface RunConfigurationKept {
  /** Epoch ms. */
  readonly since: number;
  /** SHA-256, in lower-case hex. */
  readonly digest: string;
  /** In the words of the configuration file, without secrets. */
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** `runs RUN --funnel --json`: how far the pages of a run came. It reads counters and balances, and none of the run's purchases. */
export interface RunFunnel
  extends Pick<RunSummary, "sites" | "pages" | "denials" | "failures" | "refused" | "usage" | "list"> {
  readonly run: ListedRun;
  /** From the first to the last. */
  readonly steps: readonly FunnelStep[];
  readonly speed: RunSpeed;
  /** The configurations that it had, the oldest first. Empty: it is older than this record, or a fetch. */
  readonly configurations: readonly RunConfigurationKept[];
  /** Who started, stopped, resumed or cancelled it, the newest first. */
  readonly acts: readonly Act[];
}
