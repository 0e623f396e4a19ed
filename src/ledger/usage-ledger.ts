import type { Budget } from "../budget/budget.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";
import type { License } from "../rates/license.ts";
import type { Receipt } from "../usage/receipt.ts";
import type { ReportForm } from "../usage/usage-batch.ts";
import type { ReportingTerms } from "../usage/use.ts";

/** The licence a use is booked under: that of the purchase, or (for a page that was only indexed) a current offer. */
export interface UseTerms {
  readonly license: License;
  readonly unitMicros: Micros;
  readonly currency: Currency;
}

/** A later use of a held page. */
export interface UseRecord {
  readonly url: string;
  /** A whole number, 1 or more. */
  readonly times: number;
  /** When it happened, epoch ms. */
  readonly usedAt: number;
  /** Nobody said when: another instant under the same key is the same use. @default false */
  readonly isUndated?: boolean;
  /** For a page that was only indexed: what the policy and the current rates say. null: that of the purchase. */
  readonly terms: UseTerms | null;
  /**
   * Makes recording idempotent where the caller has a name for the use (a line of a file); null: each call is a new use.
   */
  readonly key: string | null;
}

export type RecordedUse =
  | { readonly kind: "recorded"; readonly useId: number; readonly reserved: Money | null; readonly overBudget: boolean }
  | { readonly kind: "repeated" }
  /** `needs_terms`: held by an indexing fetch alone, which has no licence: ask the policy and the current rates. */
  /** `uncountable`: the money it would set aside passes what can be counted exactly, alone or with all there is. */
  /** `other_use`: its key names another page, count or instant. `over_budget`: it passes a budget, and that was not allowed. */
  | {
      readonly kind: "refused";
      readonly reason: "not_held" | "needs_terms" | "uncountable" | "other_use" | "over_budget";
    };

export interface RecordUses {
  readonly uses: readonly UseRecord[];
  /** By host, where a site's terms differ from the default; null: nowhere. */
  readonly terms: ReadonlyMap<string, ReportingTerms> | null;
  readonly defaultTerms: ReportingTerms;
  /** Every configured budget; the ledger picks those that cover the page's host. A use belongs to no run. */
  readonly budgets: readonly Budget[];
  /** Refuses what passes a budget: a person has to say that it is to be recorded all the same. @default false */
  readonly refuseOverBudget?: boolean;
  /** Says what would be recorded, and records nothing. @default false */
  readonly dryRun?: boolean;
  readonly now: number;
}

/** The flusher's lease: one at a time, with a fencing number. */
export interface FlushLease {
  readonly fence: number;
}

/** A frozen report, as it goes over the wire. */
export interface FrozenReport {
  readonly reportId: number;
  readonly idempotencyId: string;
  /** Exactly these bytes, each time (promise 5). */
  readonly body: Uint8Array;
  readonly attempts: number;
  readonly firstAttemptAt: number | null;
  /** Attempts that the gateway may have taken, whose answer is not known. */
  readonly unknownAttempts: number;
  readonly entries: readonly UsageEntry[];
}

/** One aggregated line of a report: all its uses of one page under one licence at one expected price. */
export interface UsageEntry {
  readonly entryId: number;
  readonly url: string;
  readonly timesUsed: number;
  readonly licenseType: string;
  readonly licenseCuid: string | null;
  readonly expectedUnitMicros: Micros;
  readonly currency: Currency;
}

/** What the answer said of one entry, already matched (usage/reconcile.ts). */
export interface EntryReceipt {
  readonly entryId: number;
  readonly receipt: Receipt | null;
}

/** What a person has to look at. */
export const OPEN_ITEM_KINDS = [
  "missing_receipt",
  "surplus_receipt",
  "wrong_total",
  "wrong_currency",
  "rejected_entry",
  "needs_reconcile",
  "overcharged",
  "charge_unreadable",
  "license_mismatch",
  "charge_differs",
  "over_budget_use",
] as const;
/** What a person has to look at. */
export type OpenItemKind = (typeof OPEN_ITEM_KINDS)[number];

/** Something a person has to look at: one for all things of a kind about the same report, purchase or budget. Listed until closed. */
export interface OpenItem {
  readonly id: number;
  readonly kind: OpenItemKind;
  /** In words; of the first one where it stands for several. */
  readonly detail: string;
  /** The page of the first one. */
  readonly url: string | null;
  /** The usage report that it is about, under the name that programs read in `--json`. */
  readonly batchId: number | null;
  readonly purchaseId: number | null;
  /** The site that is not bought from while it is open. */
  readonly host: string | null;
  /** How many things it stands for. */
  readonly count: number;
  readonly at: number;
}

/** What became of a report by a person's word. */
export interface ResolvedReport {
  /** The report, under the name that programs read in `--json`. */
  readonly batchId: number;
  readonly idempotencyId: string;
  /** `settled`: it was taken. `frozen`: it is sent again. */
  readonly state: "settled" | "frozen";
  readonly uses: number;
}

/** What a report that was taken came to. */
export interface SettledReport {
  /** For its uses that are billed, by currency. */
  readonly charged: Readonly<Record<Currency, Micros>>;
}

/** Uses, and the outbox that reports them. */
export interface UsageLedger {
  /**
   * Records later uses (`kind: use`), reserving at the licence's rate where they are billed. A use that has happened is
   * recorded even where it passes a budget: then it is flagged (`overBudget`, and one open item per budget and period), and
   * the negative headroom stops buying (promise 1). Results in the order of the records. All or nothing.
   * @throws LicetError INPUT_INVALID for a count of uses that is not whole, not positive, or too large to be counted
   */
  recordUses(record: RecordUses): Promise<readonly RecordedUse[]>;

  /**
   * Takes the flusher's lease when it is free or has run out; null when another holds it. Raises the fence. One that lasts longer
   * than a lease can was taken before the clock was set back, and holds nobody up.
   */
  leaseFlusher(request: { readonly now: number; readonly leaseMs: number }): Promise<FlushLease | null>;
  /** False when stale. */
  renewFlusher(renewal: { readonly fence: number; readonly expiresAt: number }): Promise<boolean>;
  /** Frees the lease; a stale fence changes nothing. */
  releaseFlusher(fence: number): Promise<void>;

  /**
   * A report that still wants an answer and whose `notBefore` has come; null when there is none.
   * By its newest halves, a single entry of a refused report is found in as many steps as it can be halved.
   * Batches whose outcome has been unknown for more than `windowMs` become `needs_reconcile` here and are not returned.
   */
  nextReport(query: {
    readonly fence: number;
    readonly now: number;
    readonly windowMs: number;
    /** The `newest_half` of a refused report before what was not tried yet, or the oldest of all. @default "oldest" */
    readonly order?: "oldest" | "newest_half";
  }): Promise<FrozenReport | null>;
  /**
   * Freezes up to `maxEntries` aggregated entries of unreported uses into a new report: id, exact body bytes and members in
   * one transaction, before any attempt (promise 5). null when nothing is unreported or the fence is stale.
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
   * Counts an attempt, and counts it as unknown, committed before it is sent: a process that dies meanwhile leaves it so.
   * False when the fence is stale: then it must not be sent.
   */
  recordAttempt(attempt: { readonly fence: number; readonly reportId: number; readonly now: number }): Promise<boolean>;
  /**
   * The same bytes again, at `notBefore`: no usable answer, or one that leaves open what became of the report. `unknownAttempts` is
   * how many attempts stay unknown: those before the last one, where that certainly did not arrive. Never raises the number.
   */
  postponeReport(postpone: {
    readonly fence: number;
    readonly reportId: number;
    readonly notBefore: number;
    readonly detail: string;
    readonly unknownAttempts: number;
  }): Promise<boolean>;
  /**
   * The gateway took the report: stores receipts, settles what was billed from them, and opens an item for each thing that
   * does not add up. Idempotent: null where it did nothing. Takes effect also under a stale fence: the answer is a fact.
   */
  settleReport(settlement: {
    readonly reportId: number;
    readonly receipts: readonly EntryReceipt[];
    readonly surplus: readonly Receipt[];
    readonly unreadable: number;
    readonly now: number;
  }): Promise<SettledReport | null>;
  /**
   * A definite 4xx: closes the report as rejected; its members go, frozen anew, into two reports of half the entries, or,
   * when it was a single entry, are recorded as rejected (an open item, never dropped). Idempotent. `open`: nothing was done,
   * because the gateway may have taken an earlier attempt: then no refusal ends or halves it (promise 5).
   * @param idempotencyIds two fresh ones
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
   * A person's word on a report in `needs_reconcile`, as a new resolution row. Taken: its uses are settled at what was expected. Not
   * taken: the same bytes are sent again under the same id, as if for the first time.
   * @throws LicetError REPORT_NOT_FOUND, REPORT_NOT_TO_RECONCILE
   */
  resolveReport(resolution: {
    readonly reportId: number;
    readonly taken: boolean;
    readonly now: number;
  }): Promise<ResolvedReport>;
  /** Uses that were rejected wait to be reported again, and their open items are closed. Idempotent. */
  retryRejected(retry: { readonly now: number }): Promise<{ readonly uses: number }>;
  /**
   * Closes an open item by a person's word, as a new resolution row; a site that it stopped may be bought from again.
   * @throws LicetError OPEN_ITEM_NOT_FOUND, OPEN_ITEM_NEEDS_WORD
   */
  closeItem(closing: { readonly itemId: number; readonly now: number }): Promise<OpenItem>;
  /** Uses not yet in a settled report, and whether one waits for an answer; for the dispatcher and `status`. */
  countPendingUses(): Promise<{
    readonly unbatched: number;
    readonly inBatches: number;
    readonly nextAttemptAt: number | null;
  }>;
}
