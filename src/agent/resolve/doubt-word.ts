import type { ResolvedPurchase } from "../../ledger/purchase-ledger.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import type { MoneyInput } from "../../money/money-input.ts";

import type { ActingOptions } from "../acts/acted-by.ts";

/** The answer of a person about purchases in doubt. */
export interface DoubtWord extends Omit<ActingOptions, "requestKey"> {
  /** Whether the gateway charged them. */
  readonly charged: boolean;
  /** Their pages are not bought again. @default false */
  readonly keepOff?: boolean | undefined;
}

export interface CheckedDoubtWord extends Omit<ActingOptions, "requestKey"> {
  readonly charged: boolean;
  readonly keepOff: boolean;
}

/** A line of an invoice: a purchase by its number, or a page by its URL. */
export interface InvoiceLine {
  /** The line number, from 1. @default its place in the list */
  readonly line?: number | undefined;
  readonly purchaseId?: number | null | undefined;
  readonly url?: string | null | undefined;
  /** The charged amount. Without a currency, it is in the currency of the quote. @default the line names no amount */
  readonly amount?: MoneyInput | { readonly micros: number; readonly currency: null } | null | undefined;
}

/** A line of an invoice after its check. */
export interface CheckedInvoiceLine {
  readonly line: number;
  readonly purchaseId: number | null;
  readonly url: string | null;
  readonly amount: { readonly micros: Micros; readonly currency: Currency | null } | null;
}

/** What came of a person's word on many purchases in doubt. */
export interface ResolvedMany {
  readonly resolved: readonly ResolvedPurchase[];
  /** Lines that fit no purchase, or have a different amount, with the reason. Empty for a run. */
  readonly unmatched: readonly { readonly line: number; readonly reason: string }[];
}

/** What came of the lines of an invoice. */
export interface AppliedInvoice extends ResolvedMany {
  /** How many lines the purchases of each state took, by the state before the invoice was applied, and how many fit nothing. */
  readonly lines: {
    readonly settled: number;
    readonly released: number;
    readonly started: number;
    readonly inDoubt: number;
    readonly unmatched: number;
  };
  /**
   * The purchase that each line accounts for, and its state before the invoice was applied. Only lines of a purchase `in_doubt` have
   * changed something.
   */
  readonly accounted: readonly {
    readonly line: number;
    readonly purchaseId: number;
    readonly state: "settled" | "released" | "started" | "in_doubt";
  }[];
}
