/**
 * What is written beside a row whose state changes: money in accounts, counts, a booking. Each state has a line that says what a row in it
 * counts (purchase-accounts.ts, use-accounts.ts). A movement takes away what the state before counts, and adds what the state after counts: so
 * no movement can forget one of them. The ledger writes a movement in the transaction that changes the row, and `audit` derives the same sums
 * from the rows without these tables.
 */
import type { Currency } from "../money/money.ts";
import type { BookingKind } from "../statement/booking.ts";

/**
 * The amounts of a balance. `feeMicros` is the part of `settledMicros` that is fees, `reportedMicros` the part that was charged on reports of uses.
 * `allowedMicros` is what the approved purchases set aside when they were decided, whatever became of them.
 */
export type AccountName =
  | "reservedMicros"
  | "inDoubtMicros"
  | "settledMicros"
  | "feeMicros"
  | "allowedMicros"
  | "reportedMicros";

/** Added to an account; negative: taken away. */
export interface AmountMove {
  readonly account: AccountName;
  readonly currency: Currency;
  readonly micros: number;
}

/** The counts of a run that follow from states. `approved` counts against `maxPages`. */
export type StateCounter =
  | "approved"
  | "settled"
  | "released"
  | "in_doubt"
  | "use_recorded"
  | "use_reported"
  | "use_rejected";

export interface CounterMove {
  readonly counter: StateCounter;
  /** Of a release; '' for any other count. */
  readonly reason: string;
  readonly by: 1 | -1;
}

/** Pages that a balance counts beside its money: those that are bought now, and those that failed. */
export type PageAccountName = "boughtPages" | "failedPages";

export interface PageMove {
  readonly account: PageAccountName;
  readonly currency: Currency;
  readonly by: 1 | -1;
}

/** What a movement writes. */
export interface Movement {
  readonly amounts: readonly AmountMove[];
  readonly pages: readonly PageMove[];
  readonly counters: readonly CounterMove[];
  readonly booking: BookingKind | null;
}
