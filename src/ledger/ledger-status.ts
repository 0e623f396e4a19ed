/** What `licet status` reads of the ledger. */

import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { DoubtReason } from "../purchase/purchase.ts";
import type { BatchesOfStage } from "./lease-ledger.ts";
import type { Spend } from "./spend.ts";
import type { OpenItem } from "./usage-ledger.ts";

/** A purchase that may have been charged and whose content never arrived. */
export interface DoubtfulPurchase {
  readonly purchaseId: number;
  readonly runId: string;
  readonly url: string;
  readonly quotedMicros: Micros;
  readonly currency: Currency | null;
  readonly reason: DoubtReason;
  readonly detail: string;
  readonly at: number;
}

/** The ledger's state of spend, reports and purchases in doubt. */
export interface LedgerStatus {
  readonly spend: Readonly<Record<Currency, Spend>>;
  readonly usage: {
    readonly recorded: number;
    readonly reported: number;
    readonly pending: number;
    readonly rejected: number;
    readonly needsReconcile: number;
  };
  readonly inDoubt: readonly DoubtfulPurchase[];
  readonly openItems: readonly OpenItem[];
  /** How many there are, also of those beyond the longest list. */
  readonly totals: { readonly inDoubt: number; readonly openItems: number };
  readonly pagesStored: number;
  /** The work of the runs at work that is not done, by stage. A stage without work is left out. */
  readonly batches: readonly BatchesOfStage[];
}
