import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";

/** Money of one run or of all runs, by currency. */
export interface Spend {
  /** The charges of the gateway for pages and uses, without the transaction fee. */
  readonly settledMicros: Micros;
  readonly inDoubtMicros: Micros;
  readonly reservedMicros: Micros;
  /** The transaction fees of settled purchases. Budgets count them too. The amounts in doubt and reserved include their own fees. */
  readonly feeMicros: Micros;
}

/** Money of one UTC day, and the pages that it bought: of the purchases that were decided on that day, as budgets per day count them. */
export interface DaySpend extends Spend {
  /** Pages that are bought now. */
  readonly bought: number;
  /** Pages that were approved and not bought: the gateway refused, or a person said that a doubt was not charged. */
  readonly failed: number;
}

/** What one UTC day cost, in one currency. */
export interface SpendOfDay extends DaySpend {
  /** Such as `2026-11-23`. */
  readonly day: string;
  readonly currency: Currency;
}

/** What some UTC days cost together, on one site and in one currency. */
export interface SpendOfSite extends DaySpend {
  readonly host: string;
  readonly currency: Currency;
}

/** Which days. Both are included: `2026-11-01`, `2026-11-30`. */
export interface SpendQuery {
  readonly firstDay: string;
  readonly lastDay: string;
}
