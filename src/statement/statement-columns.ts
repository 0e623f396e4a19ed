/** The figures of a statement's line, in the order of the file for spreadsheets. Names of columns stay: columns may be added behind them. */
import type { StatementFigures } from "./statement.ts";

export interface StatementColumn {
  readonly name: string;
  /** An amount of money has a second column, in micros. */
  readonly isAmount: boolean;
  of(figures: StatementFigures): number;
}

const count = (name: string, of: StatementColumn["of"]): StatementColumn => ({ name, isAmount: false, of });
const amount = (name: string, of: StatementColumn["of"]): StatementColumn => ({ name, isAmount: true, of });

export const STATEMENT_COLUMNS: readonly StatementColumn[] = [
  count("pages", ({ bought }) => bought.pages),
  amount("charged", ({ bought }) => bought.chargedMicros),
  amount("fees", ({ bought }) => bought.feeMicros),
  count("indexed_pages", ({ indexed }) => indexed.pages),
  count("operator_pages", ({ corrections }) => corrections.operator.pages),
  amount("operator_charged", ({ corrections }) => corrections.operator.chargedMicros),
  amount("operator_fees", ({ corrections }) => corrections.operator.feeMicros),
  count("late_pages", ({ corrections }) => corrections.lateAnswers.pages),
  amount("late_charged", ({ corrections }) => corrections.lateAnswers.chargedMicros),
  amount("late_fees", ({ corrections }) => corrections.lateAnswers.feeMicros),
  count("uses", ({ uses }) => uses.times),
  amount("uses_expected", ({ uses }) => uses.expectedMicros),
  amount("uses_charged", ({ uses }) => uses.chargedMicros),
  count("fetch_reports", ({ fetchReports }) => fetchReports.times),
  amount("fetch_reports_expected", ({ fetchReports }) => fetchReports.expectedMicros),
  amount("fetch_reports_charged", ({ fetchReports }) => fetchReports.chargedMicros),
  amount("receipts_difference", ({ corrections }) => corrections.receipts.differenceMicros),
  amount("total_charged", ({ total }) => total.chargedMicros),
  amount("total_fees", ({ total }) => total.feeMicros),
  count("doubts_at_start", ({ doubts }) => doubts.openAtStart.pages),
  amount("doubts_at_start_amount", ({ doubts }) => doubts.openAtStart.setAsideMicros),
  count("doubts_opened", ({ doubts }) => doubts.opened.pages),
  amount("doubts_opened_amount", ({ doubts }) => doubts.opened.setAsideMicros),
  count("doubts_charged", ({ doubts }) => doubts.charged.pages),
  amount("doubts_charged_amount", ({ doubts }) => doubts.charged.setAsideMicros),
  count("doubts_not_charged", ({ doubts }) => doubts.notCharged.pages),
  amount("doubts_not_charged_amount", ({ doubts }) => doubts.notCharged.setAsideMicros),
  count("doubts_at_end", ({ doubts }) => doubts.openAtEnd.pages),
  amount("doubts_at_end_amount", ({ doubts }) => doubts.openAtEnd.setAsideMicros),
];
