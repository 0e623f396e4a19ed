import type { StatementFacts, StatementQuery } from "../statement/statement-facts.ts";

/** What statements of months are made from. */
export interface StatementReports {
  /**
   * What was booked in a month, by group, as far as it was booked when the call began. Reads the bookings of the month with what they name, and all doubts
   * that there ever were. The same call gives the same facts for a month that is over.
   */
  readStatement(query: StatementQuery): Promise<StatementFacts>;
}
