import type { ResolvedPurchase } from "../ledger/purchase-ledger.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";

/** A person's word on purchases in doubt. */
export interface DoubtWord {
  readonly charged: boolean;
  /** Their pages are not bought again. @default false */
  readonly keepOff?: boolean;
}

/** A line of an invoice: a purchase by its number, or a page by its URL. */
export interface InvoiceLine {
  /** Where it stands, from 1. */
  readonly line: number;
  readonly purchaseId: number | null;
  readonly url: string | null;
  /** What it was charged; without a currency, in that of the quote. null: not said. */
  readonly amount: { readonly micros: Micros; readonly currency: Currency | null } | null;
}

/** What came of a person's word on many purchases in doubt. */
export interface ResolvedMany {
  readonly resolved: readonly ResolvedPurchase[];
  /** Lines that name no purchase in doubt, or another amount. */
  readonly unmatched: readonly { readonly line: number; readonly reason: string }[];
}
