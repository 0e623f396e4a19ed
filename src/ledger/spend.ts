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
