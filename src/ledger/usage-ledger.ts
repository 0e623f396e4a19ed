import type { ActedBy } from "../act/act.ts";
import type { Budget } from "../budget/budget.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";
import type { License } from "../rates/license.ts";
import type { ExpiryPolicies, RightsEnd } from "../rights/rights.ts";
import type { Receipt } from "../usage/receipt.ts";
import type { ReportForm } from "../usage/usage-batch.ts";
import type { ReportingTerms } from "../usage/use.ts";

/** The license that a use is booked under: the purchase's, or a current offer for a page that was only indexed. */
export interface UseTerms {
  readonly license: License;
  readonly unitMicros: Micros;
  readonly currency: Currency;
}

/** A later use of a stored page. */
export interface UseRecord {
  readonly url: string;
  /** A whole number, 1 or more. */
  readonly times: number;
  /** When the use happened, epoch ms. */
  readonly usedAt: number;
  /** True when the user gave no time. The same key with another time is then the same use. @default false */
  readonly isUndated?: boolean;
  /** For a page that was only indexed: the result of the policy at the current rates. Null: the purchase's terms. */
  readonly terms: UseTerms | null;
  /**
   * Makes the record idempotent when the caller has a name for the use (for example a line of a file). Null: each call is a new
   * use.
   */
  readonly key: string | null;
}

export type RecordedUse =
  | {
      readonly kind: "recorded";
      readonly useId: number;
      readonly reserved: Money | null;
      readonly overBudget: boolean;
      /** The rights to the page had ended when it was used. It is recorded all the same, because it has happened. Null: they had not. */
      readonly lapse: RightsEnd | null;
    }
  | { readonly kind: "repeated" }
  /** `needs_terms`: the page was only indexed and has no license. The caller must apply the policy to the current rates. */
  /** `uncountable`: the money to reserve exceeds what can be counted exactly, alone or with the balance. */
  /**
   * `other_use`: its key belongs to another page, count or time. `over_budget`: it exceeds a budget, and that was not allowed.
   */
  | {
      readonly kind: "refused";
      readonly reason: "not_stored" | "needs_terms" | "uncountable" | "other_use" | "over_budget";
    };

export interface RecordUses {
  readonly uses: readonly UseRecord[];
  /** By host, for sites whose terms differ from the default. Null: no such site. */
  readonly terms: ReadonlyMap<string, ReportingTerms> | null;
  readonly defaultTerms: ReportingTerms;
  /** Every configured budget. The ledger uses those that cover the page's host. A use belongs to no run. */
  readonly budgets: readonly Budget[];
  /** Says which uses happened after the rights to their page had ended. */
  readonly expiry: ExpiryPolicies;
  /** Refuses a use that exceeds a budget, until a person says that it must be recorded all the same. @default false */
  readonly refuseOverBudget?: boolean;
  /** Returns what would be recorded and records nothing. @default false */
  readonly dryRun?: boolean;
  readonly now: number;
}

/** The flusher's lease: one holder at a time, with a fencing number. */
export interface FlushLease {
  readonly fence: number;
}

/** A frozen report, as it is sent. */
export interface FrozenReport {
  readonly reportId: number;
  readonly idempotencyId: string;
  /** Exactly these bytes are sent each time (promise 5). */
  readonly body: Uint8Array;
  readonly attempts: number;
  readonly firstAttemptAt: number | null;
  /** Attempts with an unknown answer that the gateway may have accepted. */
  readonly unknownAttempts: number;
  readonly entries: readonly UsageEntry[];
}

/** One aggregated line of a report: all its uses of one page under one license at one expected price. */
export interface UsageEntry {
  readonly entryId: number;
  readonly url: string;
  readonly timesUsed: number;
  readonly licenseType: string;
  readonly licenseCuid: string | null;
  readonly expectedUnitMicros: Micros;
  readonly currency: Currency;
}

/** The answer for one entry, already matched (usage/reconcile.ts). */
export interface EntryReceipt {
  readonly entryId: number;
  readonly receipt: Receipt | null;
}

/** The kinds of open items. */
export const OPEN_ITEM_KINDS = [
  "missing_receipt",
  "surplus_receipt",
  "wrong_total",
  "wrong_currency",
  "receipt_error",
  "rejected_entry",
  "needs_reconcile",
  "overcharged",
  "charge_unreadable",
  "license_mismatch",
  "charge_differs",
  "over_budget_use",
] as const;
/** The kind of an open item. */
export type OpenItemKind = (typeof OPEN_ITEM_KINDS)[number];

/**
 * Something that a person has to check. One item covers everything of its kind about the same report, purchase or budget. It is
 * listed until it is closed.
 */
export interface OpenItem {
  readonly id: number;
  readonly kind: OpenItemKind;
  /** A description; of the first case when the item covers several. */
  readonly detail: string;
  /** The page of the first case. */
  readonly url: string | null;
  /** The id of the usage report, under its name in `--json`. */
  readonly batchId: number | null;
  readonly purchaseId: number | null;
  /** The site whose pages are not bought while the item is open. */
  readonly host: string | null;
  /** How many cases the item covers. */
  readonly count: number;
  readonly at: number;
}

/** The result of a person's decision on a report. */
export interface ResolvedReport {
  /** The id of the report, under its name in `--json`. */
  readonly batchId: number;
  readonly idempotencyId: string;
  /** `settled`: it was accepted. `frozen`: it is sent again. */
  readonly state: "settled" | "frozen";
  readonly uses: number;
}

/** The result of an accepted report. */
export interface SettledReport {
  /** The charges of its billed uses, by currency. */
  readonly charged: Readonly<Record<Currency, Micros>>;
}

/** Uses, and the outbox that reports them. */
export interface UsageLedger {
  /**
   * Records later uses (`kind: use`) and reserves money at the license's rate when they are billed. A use has already happened,
   * so it is recorded even when it exceeds a budget. It is then flagged (`overBudget`, and one open item per budget and period),
   * and the negative headroom stops purchases (promise 1). The results are in the order of the records. All records are
   * committed, or none.
   * @throws LicetError INPUT_INVALID for a count of uses that is not whole, not positive, or too large to be counted
   */
  recordUses(record: RecordUses): Promise<readonly RecordedUse[]>;

  /**
   * Takes the flusher's lease when it is free or expired. Null when another process holds it. Raises the fence. A lease that
   * lasts longer than a lease can was taken before the clock was set back, and counts as expired.
   */
  leaseFlusher(request: { readonly now: number; readonly leaseMs: number }): Promise<FlushLease | null>;
  /** False when stale. */
  renewFlusher(renewal: { readonly fence: number; readonly expiresAt: number }): Promise<boolean>;
  /** Frees the lease. A stale fence changes nothing. */
  releaseFlusher(fence: number): Promise<void>;

  /**
   * A report that still needs an answer and whose `notBefore` has passed. Null when there is none. With `newest_half`, the search
   * for one bad entry of a refused report takes only as many steps as the report can be halved. Reports whose outcome has been
   * unknown for longer than `windowMs` become `needs_reconcile` here and are not returned.
   */
  nextReport(query: {
    readonly fence: number;
    readonly now: number;
    readonly windowMs: number;
    /**
     * `newest_half`: the newest half of a refused report comes first. `oldest`: the oldest report comes first. @default "oldest"
     */
    readonly order?: "oldest" | "newest_half";
  }): Promise<FrozenReport | null>;
  /**
   * Freezes up to `maxEntries` aggregated entries of unreported uses into a new report: id, exact body bytes and members in one
   * transaction, before any attempt (promise 5). Null when no use is unreported or the fence is stale.
   */
  freezeReport(
    request: {
      readonly fence: number;
      readonly idempotencyId: string;
      readonly maxEntries: number;
      readonly now: number;
    } & ReportForm,
  ): Promise<FrozenReport | null>;
  /**
   * Counts an attempt, as unknown, and commits the count before the attempt is sent, so that it stays unknown when the process
   * dies. False when the fence is stale; the report must then not be sent.
   */
  recordAttempt(attempt: { readonly fence: number; readonly reportId: number; readonly now: number }): Promise<boolean>;
  /**
   * Postpones the same bytes to `notBefore`, after no usable answer or an inconclusive one. `unknownAttempts` is the number of
   * attempts that stay unknown. It excludes the last attempt when that certainly did not arrive. The number is never raised.
   */
  postponeReport(postpone: {
    readonly fence: number;
    readonly reportId: number;
    readonly notBefore: number;
    readonly detail: string;
    readonly unknownAttempts: number;
  }): Promise<boolean>;
  /**
   * Records that the gateway accepted the report: stores receipts, settles the billed uses, and opens an item for each mismatch.
   * Idempotent: null when it changed nothing. It also works under a stale fence, because the answer is a fact.
   */
  settleReport(settlement: {
    readonly reportId: number;
    readonly receipts: readonly EntryReceipt[];
    readonly surplus: readonly Receipt[];
    readonly unreadable: number;
    readonly now: number;
  }): Promise<SettledReport | null>;
  /**
   * Records a definite 4xx: closes the report as rejected. Its members are frozen again in two reports of half the entries. A
   * single entry is recorded as rejected (an open item, never lost). Idempotent. `open`: nothing was changed, because the gateway
   * may have accepted an earlier attempt. Then no refusal ends or halves the report (promise 5).
   * @param idempotencyIds two fresh ids
   */
  rejectReport(
    rejection: {
      readonly fence: number;
      readonly reportId: number;
      readonly status: number;
      readonly detail: string;
      readonly idempotencyIds: readonly [string, string];
      readonly now: number;
    } & ReportForm,
  ): Promise<"bisected" | "isolated" | "open" | "stale">;
  /**
   * Records a person's decision on a report in `needs_reconcile` as a new resolution row. Taken: its uses are settled at the
   * expected price. Not taken: the same bytes are sent again under the same id, as if for the first time.
   * @throws LicetError REPORT_NOT_FOUND, REPORT_NOT_TO_RECONCILE
   */
  resolveReport(resolution: {
    readonly reportId: number;
    readonly taken: boolean;
    /** Who says so. Kept as an act. */
    readonly who?: ActedBy;
    readonly now: number;
  }): Promise<ResolvedReport>;
  /** Lets rejected uses be reported again and closes their open items. Idempotent. */
  retryRejected(retry: { readonly now: number }): Promise<{ readonly uses: number }>;
  /**
   * Closes an open item by a person's decision, as a new resolution row. If it stopped a site, pages of the site may be bought
   * again.
   * @throws LicetError OPEN_ITEM_NOT_FOUND, OPEN_ITEM_NEEDS_WORD
   */
  closeItem(closing: { readonly itemId: number; readonly who?: ActedBy; readonly now: number }): Promise<OpenItem>;
  /** Uses that are not in a settled report, those that are, and whether a report waits for an answer. Used by the dispatcher and `status`. */
  countPendingUses(): Promise<{
    readonly unbatched: number;
    readonly inBatches: number;
    readonly reported: number;
    readonly nextAttemptAt: number | null;
  }>;
}
