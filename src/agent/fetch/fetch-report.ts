/** What `agent.fetch` takes and returns. */
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import type { MoneyInput } from "../../money/money-input.ts";

/** The most URLs of one call. */
export const MAX_FETCHED_URLS = 100;

/** How pages are fetched. */
export interface FetchOptions {
  /** No page may cost more, its fee included: `"0.05 USD"`, or `{micros, currency}`. @default what policies and budgets allow */
  readonly maxPrice?: MoneyInput | undefined;
  /** This call buys for no more in all, fees included. @default what the budgets allow */
  readonly maxSpend?: MoneyInput | undefined;
  /** Answers from the ledger alone: buys nothing, and asks the gateway nothing. @default false */
  readonly storedOnly?: boolean | undefined;
  /** Derives missing Markdown from the HTML that was bought. @default false */
  readonly deriveMarkdown?: boolean | undefined;
  /** Says that the clock is right, although the ledger has rows from later. @default false */
  readonly trustClock?: boolean | undefined;
  /** When it aborts, purchases that have started are finished, and nothing more is bought. */
  readonly signal?: AbortSignal | undefined;
}

export const FETCH_OUTCOMES = [
  "stored",
  "bought",
  "denied",
  "in_doubt",
  "failed",
  "not_stored",
  "excluded",
  "not_configured",
  "invalid",
] as const;
/** What came of one URL. Only `stored` and `bought` have a document. */
export type FetchOutcome = (typeof FETCH_OUTCOMES)[number];

/** What came of one URL of a call. */
export interface FetchResult {
  /** As it was given. */
  readonly url: string;
  readonly outcome: FetchOutcome;
  /** The page with its texts and its evidence. Texts are as received from the network. */
  readonly document: StoredDocument | null;
  /**
   * The price of the page, without the fee: what it was charged when it was bought, now or earlier. In doubt: what was quoted. Null: nothing was
   * charged, or nobody knows.
   */
  readonly priceMicros: Micros | null;
  readonly currency: Currency | null;
  /** The text of the rule that allowed or denied it. Null: no rule did. */
  readonly rule: string | null;
  /** Why there is no document: a word of docs/vocabulary.md, or the code of an error (docs/errors.md). Null where there is one. */
  readonly reason: string | null;
  /** The same as a sentence. It may contain text of the gateway. */
  readonly detail: string | null;
  /** What to do. Null: nothing to add. */
  readonly hint: string | null;
  /** The purchase that brought the document, or that is in doubt. */
  readonly purchaseId: number | null;
}

/** `fetch --json`: one result for each URL, in their order. */
export interface FetchReport {
  /** One for each URL, in their order. */
  readonly results: readonly FetchResult[];
  /** What this call spent, by currency. A URL that was already held costs nothing. */
  readonly spend: Readonly<Record<Currency, FetchSpend>>;
  /** The run that bought for this call. Empty: everything was answered from the ledger. */
  readonly runIds: readonly string[];
  /** Whether a budget or `maxSpend` left pages unbought. */
  readonly budgetExhausted: boolean;
  /** True when the signal ended the call before all pages were looked at. */
  readonly interrupted: boolean;
  readonly warnings: readonly string[];
}

/** Money of one call, in micros. */
export interface FetchSpend {
  /** Charges, without fees. */
  readonly settledMicros: Micros;
  readonly feeMicros: Micros;
  /**
   * Quotes with their fees, of purchases that may have been charged. All of `maxSpend`, when the ledger cannot say what the call has bought: a
   * warning says so.
   */
  readonly inDoubtMicros: Micros;
  /** Set aside for the reports of these fetches, where those are billed too (`reporting.billed`). */
  readonly useReserveMicros: Micros;
}
