/** The types of one flush of the outbox: its dependencies, its options, its progress and its result. */
import type { ReportAnswer } from "../../gateway/gateway.ts";
import type { FrozenReport } from "../../ledger/usage-ledger.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { backoffMs } from "../../time/backoff.ts";
import type { WorkerDeps } from "../stage-deps.ts";

export type ReportDeps = Pick<
  WorkerDeps,
  "gateway" | "ledger" | "clock" | "ids" | "random" | "events" | "limits" | "licenseIdField" | "reportPermissions"
>;

export interface FlushOptions {
  /** How often one flush sends an unanswered report; it waits until the report is due. 0: what is due is sent once, and nothing is waited for. */
  readonly attempts: number;
  /** A report is frozen only when this many entries wait. 1 freezes everything. */
  readonly minUses: number;
}

/** What one flush did. */
export interface Flushed {
  readonly batches: number;
  readonly uses: number;
  readonly rejectedEntries: number;
  /** The charges of the billed uses that it reported, by currency. */
  readonly charged: Readonly<Record<Currency, Micros>>;
  /** Why the flush ended before the outbox was empty. Null when the outbox is empty. */
  readonly stopped: string | null;
  /** The gateway does not accept this account's reports, or refused all of the first uses. Another flush will not help. */
  readonly refused: boolean;
  /** The gateway refused each of the first entries that were sent alone, and has accepted no entry. All entries are kept. */
  readonly allRefused: boolean;
}

/** Why a flush stopped without a message: another process has the flusher's lease and does the work. */
export const REPORTED_ELSEWHERE = "another process is reporting";

/** The state of one flush while it runs. */
export interface Flush {
  readonly deps: ReportDeps;
  readonly fence: number;
  readonly options: FlushOptions;
  readonly counters: { -readonly [Key in keyof Omit<Flushed, "stopped">]: Flushed[Key] };
  /** Attempts of each unanswered report in this flush. */
  readonly sent: Map<number, number>;
  /** Single entries that were refused before any entry was accepted. They are rejected once an entry is accepted. */
  readonly suspects: Map<number, { readonly frozen: FrozenReport; readonly refusal: Refusal }>;
  /** Why every report may be refused, when only reports that may have been accepted before were answered so. */
  misplaced: string | null;
  hasJustIsolated: boolean;
}

export type Refusal = Extract<ReportAnswer, { kind: "rejected" }>;

export interface Postponement {
  readonly detail: string;
  readonly askedMs: number;
  readonly unknownAttempts: number;
}

export async function postpone(
  { deps, fence }: Flush,
  { reportId, attempts }: FrozenReport,
  { detail, askedMs, unknownAttempts }: Postponement,
): Promise<void> {
  const { reportBackoffMs, maxReportBackoffMs } = deps.limits;
  const waitMs = Math.max(askedMs, backoffMs(attempts + 1, reportBackoffMs, maxReportBackoffMs, deps.random));
  const notBefore = deps.clock.now() + waitMs;
  await deps.ledger.postponeReport({ fence, reportId, notBefore, detail, unknownAttempts });
}

/** Adds up the charges by currency. */
export function addCharged(
  sums: Readonly<Record<Currency, Micros>>,
  more: Readonly<Record<Currency, Micros>>,
): Record<Currency, Micros> {
  const added = { ...sums };
  for (const [currency, micros] of Object.entries(more)) {
    added[currency] = addMicros(added[currency] ?? ZERO_MICROS, micros);
  }
  return added;
}
