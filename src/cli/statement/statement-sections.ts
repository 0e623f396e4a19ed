/** A statement for people, as tables: the same for a terminal and for Markdown. */
import { toMicros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import type { DoubtfulPages, Statement, StatementFigures, StatementLine } from "../../statement/statement.ts";
import { formatAmountCell } from "../output/format-values.ts";
import type { Column } from "../output/text-table.ts";

export interface StatementSection {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

type Line = Pick<StatementLine, "group" | "currency"> & StatementFigures;

export function toSections(statement: Statement): StatementSection[] {
  const lines: readonly Line[] = [
    ...statement.lines,
    ...statement.totals.map((total): Line => ({ ...total, group: TOTAL })),
  ];
  return [
    toCharges(statement, lines),
    toCorrections(statement, lines),
    toDoubts(statement, lines),
    toBudgets(statement),
  ].filter(({ rows }) => rows.length > 0);
}

/** One sentence about the whole. */
export function describeStatement({ month, wholeMonth, site, complete, until, totals }: Statement): string {
  const of = site === null ? month : `${month}, ${site}`;
  const what = wholeMonth ? "The month" : "The period";
  const last = wholeMonth ? "this statement does not change any more." : "it has ended.";
  const state = complete
    ? `${what} is complete: ${last}`
    : `${what} is not complete: this is what was booked until ${until}.`;
  return `${of} (UTC). ${state}${totals.length === 0 ? " Nothing was booked." : ""}`;
}

/** Stands where a group stands. No site, license, policy, rule, run or day is named so. */
const TOTAL = "TOTAL";
const NO_GROUP = "(none)";

const left = (title: string): Column => ({ title });
const right = (title: string): Column => ({ title, align: "right" });

function nameOf({ group }: Line): string {
  return group ?? NO_GROUP;
}

function amount(micros: number, currency: Currency | null): string {
  return formatAmountCell(toMicros(micros), currency);
}

function toCharges({ by }: Statement, lines: readonly Line[]): StatementSection {
  return {
    title: "Charges",
    columns: [left(by), ...["pages", "charged", "corrections", "uses", "charged for uses", "fees", "total"].map(right)],
    rows: lines.map((line) => {
      const { bought, indexed, corrections, uses, fetchReports, total, currency } = line;
      const corrected = corrections.operator.chargedMicros + corrections.lateAnswers.chargedMicros;
      return [
        nameOf(line),
        indexed.pages === 0 ? String(bought.pages) : `${bought.pages} + ${indexed.pages} indexed`,
        amount(bought.chargedMicros, currency),
        amount(corrected, currency),
        String(uses.times),
        amount(uses.chargedMicros + fetchReports.chargedMicros, currency),
        amount(total.feeMicros, currency),
        amount(total.chargedMicros + total.feeMicros, currency),
      ];
    }),
  };
}

function toCorrections({ by, wholeMonth }: Statement, lines: readonly Line[]): StatementSection {
  const corrected = lines.filter(
    ({ corrections: { operator, lateAnswers, receipts } }) =>
      operator.pages + lateAnswers.pages > 0 || receipts.differenceMicros !== 0,
  );
  return {
    title: `Corrections made in the ${wholeMonth ? "month" : "period"}, without fees`,
    columns: [
      left(by),
      right("by an operator's word"),
      right("by late answers"),
      right("receipts, against the expected price"),
    ],
    rows: corrected.map((line) => {
      const { operator, lateAnswers, receipts } = line.corrections;
      return [
        nameOf(line),
        `${operator.pages}: ${amount(operator.chargedMicros, line.currency)}`,
        `${lateAnswers.pages}: ${amount(lateAnswers.chargedMicros, line.currency)}`,
        amount(receipts.differenceMicros, line.currency),
      ];
    }),
  };
}

function toDoubts({ by }: Statement, lines: readonly Line[]): StatementSection {
  const inDoubt = lines.filter(({ doubts }) => Object.values(doubts).some(({ pages }) => pages > 0));
  return {
    title: "Purchases in doubt, with what they set aside",
    columns: [left(by), ...["at the start", "opened", "charged", "not charged", "at the end"].map(right)],
    rows: inDoubt.map((line) => {
      const { openAtStart, opened, charged, notCharged, openAtEnd } = line.doubts;
      const cell = ({ pages, setAsideMicros }: DoubtfulPages) => `${pages}: ${amount(setAsideMicros, line.currency)}`;
      return [nameOf(line), ...[openAtStart, opened, charged, notCharged, openAtEnd].map(cell)];
    }),
  };
}

function toBudgets({ totals }: Statement): StatementSection {
  return {
    title: "The total by the month in whose budgets it counts",
    columns: [left("month of the budget"), right("total")],
    rows: totals.flatMap(({ currency, budgetMonths }) =>
      budgetMonths.map(({ month, spentMicros }) => [month, amount(spentMicros, currency)]),
    ),
  };
}
