/** What a ledger says of one month: bookings and uses, counted by whoever can count many rows, and not yet added up. */
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { BookingKind } from "./booking.ts";
import type { StatementGrouping } from "./statement.ts";

/** What a statement is of. */
export interface StatementPeriod {
  /** `2026-11`, `2026-11-20`, or `2026-11-20..2026-11-22`. */
  readonly name: string;
  /** False: it is a range of days. @default true */
  readonly wholeMonth?: boolean;
  /** `[from, to)`, epoch ms. */
  readonly from: number;
  readonly to: number;
}

export interface StatementQuery {
  /** `[from, to)`, epoch ms. */
  readonly from: number;
  readonly to: number;
  readonly by: StatementGrouping;
  /** Only this site; null: all of them. */
  readonly host: string | null;
}

interface Grouped {
  readonly group: string | null;
  /** That of the quote or the expected price. Null for indexing. */
  readonly currency: Currency | null;
}

interface Charged {
  /** Null where nothing is charged. */
  readonly chargedCurrency: Currency | null;
  readonly chargedMicros: Micros;
  /** The month in whose budgets the charge counts. */
  readonly budgetMonth: string;
}

/** Purchases that were booked in the month. */
export interface BookedPurchases extends Grouped, Charged {
  readonly kind: Exclude<BookingKind, "report_taken">;
  readonly intent: "content" | "indexing";
  /** Whether a person said that it was charged. */
  readonly byOperator: boolean;
  readonly pages: number;
  readonly setAsideMicros: Micros;
  readonly feeMicros: Micros;
}

/** Doubts that were open at an instant. */
export interface OpenDoubts extends Grouped {
  readonly at: "start" | "end";
  readonly pages: number;
  readonly setAsideMicros: Micros;
}

/** Uses whose report was taken in the month. */
export interface TakenUses extends Grouped, Charged {
  readonly kind: "fetch" | "use";
  readonly times: number;
  /** Of the billed ones. */
  readonly expectedMicros: Micros;
}

export interface StatementFacts {
  readonly purchases: readonly BookedPurchases[];
  readonly openDoubts: readonly OpenDoubts[];
  readonly uses: readonly TakenUses[];
  /** A currency may be there several times. */
  readonly receipts: readonly { readonly currency: Currency; readonly micros: Micros }[];
  /** The last booking of the month, and of the ledger. Epoch ms; null: there is none. */
  readonly lastOfMonthAt: number | null;
  readonly lastBookedAt: number | null;
}
