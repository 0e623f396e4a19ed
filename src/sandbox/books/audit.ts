import type { SandboxState } from "../sandbox-state.ts";
import type { Delivery, DeliveryTotals } from "../webhooks/delivery-journal.ts";
import type { Charge, CurrencyTotals, ReportedUse } from "./account.ts";

/** The sandbox's independent account of what happened. */
export interface SandboxAudit {
  /** Every charge, oldest first. Left out of a summary. */
  readonly charges?: readonly Charge[];
  /** Every accepted entry of a self-report, oldest first. Left out of a summary. */
  readonly uses?: readonly ReportedUse[];
  /** Every webhook delivery, also the forged and replayed ones, oldest first. Left out of a summary. */
  readonly deliveries?: readonly Delivery[];
  /** Sums by currency. Charges (fetches) and reported uses are kept apart. */
  readonly totals: Readonly<Record<string, CurrencyTotals>>;
  readonly tokens: { readonly issued: number; readonly spent: number };
  /** Accepted reports, each counted once. */
  readonly reports: number;
  /** Webhook deliveries by fate. */
  readonly webhooks: DeliveryTotals;
  /** Answers by endpoint and status. `reset` and `timeout` mean that no answer was sent. */
  readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** How often each fault took effect. */
  readonly faults: Readonly<Record<string, number>>;
}

/** An audit with its lists. */
export type FullAudit = SandboxAudit & Required<Pick<SandboxAudit, "charges" | "uses" | "deliveries">>;

/** Sums and counts only. */
export function createSummary(state: SandboxState): SandboxAudit {
  return {
    totals: state.account.totals(),
    tokens: { issued: state.tokens.issued, spent: state.tokens.spent },
    reports: state.reports.size,
    webhooks: state.webhooks.journal.totals(),
    requests: state.counts.toJson(),
    faults: { ...state.faults.fired },
  };
}

/** Everything. */
export function createAudit(state: SandboxState): FullAudit {
  return {
    charges: state.account.charges(),
    uses: state.account.uses(),
    deliveries: state.webhooks.journal.deliveries(),
    ...createSummary(state),
  };
}
