import type { Micros } from "../money/micros.ts";

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
