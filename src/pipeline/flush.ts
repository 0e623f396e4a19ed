/** What a flush of the outbox is made of: what it depends on, what it was told, and how far it is. */
import type { ReportAnswer } from "../gateway/gateway.ts";
import type { FrozenReport } from "../ledger/usage-ledger.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import { backoffMs } from "../time/backoff.ts";
import type { StageDeps } from "./stage-deps.ts";

export type ReportDeps = Pick<
  StageDeps,
  "gateway" | "ledger" | "clock" | "ids" | "random" | "events" | "limits" | "licenseIdField" | "reportPermissions"
>;

export interface FlushOptions {
  /** Wait for postponed reports and send them again, this often each; 0: leave them to a later flush. */
  readonly patience: number;
  /** Freeze a report only when this many entries wait; 1: everything. */
  readonly minUses: number;
}

/** What one flush did. */
export interface Flushed {
  readonly batches: number;
  readonly uses: number;
  readonly rejectedEntries: number;
  /** What its billed uses came to, by currency. */
  readonly charged: Readonly<Record<Currency, Micros>>;
  /** Why it ended before the outbox was empty; null when it is. */
  readonly stopped: string | null;
  /** The gateway does not accept this account's reports, or none of the first uses: another flush will not help. */
  readonly refused: boolean;
  /** The first entries that were sent alone were all refused, and nothing was taken: everything is kept. */
  readonly allRefused: boolean;
}

/** Why a flush stopped that has nothing to say: whoever has the flusher's lease does its work. */
export const REPORTED_ELSEWHERE = "another process is reporting";

/** One flush, as it goes on. */
export interface Flush {
  readonly deps: ReportDeps;
  readonly fence: number;
  readonly options: FlushOptions;
  readonly tally: { -readonly [Key in keyof Omit<Flushed, "stopped">]: Flushed[Key] };
  /** Attempts of each unanswered report in this flush. */
  readonly sent: Map<number, number>;
  /** Single entries that were refused while nothing was taken yet: they are rejected once something is. */
  readonly suspects: Map<number, { readonly frozen: FrozenReport; readonly refusal: Refusal }>;
  /** Why every report may be refused, where only reports that may have been taken before said so. */
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

/** The sum by currency. */
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
