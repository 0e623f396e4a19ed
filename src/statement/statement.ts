/** The statement of a month or of some days: what a finance department gets. What each amount means is in docs/how-to/months-statement.md. */
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";

/** How the lines of a statement may be grouped. Each grouping adds up to the same totals. */
export const STATEMENT_GROUPINGS = ["site", "license", "policy", "rule", "run", "day", "month"] as const;
/** How the lines of a statement are grouped. */
export type StatementGrouping = (typeof STATEMENT_GROUPINGS)[number];

/** Pages with their charges. */
export interface ChargedPages {
  readonly pages: number;
  /** Without the fee. */
  readonly chargedMicros: Micros;
  readonly feeMicros: Micros;
}

/** Purchases in doubt, with what each of them set aside: the quoted price, its fee, and its report where that is billed too. */
export interface DoubtfulPages {
  readonly pages: number;
  readonly setAsideMicros: Micros;
}

/** Uses whose report the gateway took in the month. */
export interface ReportedUses {
  readonly times: number;
  /** What the billed ones were expected to cost. */
  readonly expectedMicros: Micros;
  /** What their reports charged. */
  readonly chargedMicros: Micros;
}

/** The figures of one line, all in one currency. */
export interface StatementFigures {
  /** Pages whose content came with an answer to their purchase. */
  readonly bought: ChargedPages;
  /** Pages that were fetched for an index. They cost nothing. */
  readonly indexed: { readonly pages: number };
  /** Purchases in doubt. `openAtEnd` = `openAtStart` + `opened` - `charged` - `notCharged`. None of it is in `total`. */
  readonly doubts: {
    readonly openAtStart: DoubtfulPages;
    readonly opened: DoubtfulPages;
    /** Ended in the month as charged. The charge itself is among the corrections. */
    readonly charged: DoubtfulPages;
    readonly notCharged: DoubtfulPages;
    readonly openAtEnd: DoubtfulPages;
  };
  /** What was learned in the month about purchases that had been given up, in this month or before. */
  readonly corrections: {
    /** Charged by a person's word (`licet resolve`). */
    readonly operator: ChargedPages;
    /** Charged by content that came late. */
    readonly lateAnswers: ChargedPages;
    /** By how much receipts differed from the expected price: charged minus expected. It is part of `uses` and `fetchReports`. */
    readonly receipts: {
      /** It may be negative. */
      readonly differenceMicros: number;
    };
  };
  /** Later uses. */
  readonly uses: ReportedUses;
  /** The reports of the fetches themselves, which cost something only with `reporting.billed: [fetch, …]`. */
  readonly fetchReports: ReportedUses;
  /** All charges of the month: bought, corrections of purchases, uses, reports of fetches. */
  readonly total: ChargedPages;
}

/** One group in one currency. */
export interface StatementLine extends StatementFigures {
  /** The site, license, rule …; null for what has none, such as the license of a page that was only indexed. */
  readonly group: string | null;
  /** Null for pages that were only indexed. */
  readonly currency: Currency | null;
}

/** All lines of one currency. */
export interface StatementTotal extends StatementFigures {
  readonly currency: Currency | null;
  /** What the gateway's receipts of the month add up to, also for uses that are not charged on the report. */
  readonly receiptsMicros: Micros;
  /**
   * The charges of the month, fees included, by the month in whose budgets they count: that of the reservation. What a month's budget counts as settled is
   * the sum of its entries over all statements.
   */
  readonly budgetMonths: readonly {
    /** A calendar month in UTC, such as `2026-11`. */
    readonly month: string;
    readonly spentMicros: Micros;
  }[];
}

/** The statement of one calendar month in UTC, or of some days. */
export interface Statement {
  /** A calendar month in UTC, such as `2026-11`; or UTC days: `2026-11-20`, or `2026-11-20..2026-11-22`. */
  readonly month: string;
  /** False: it is of days. */
  readonly wholeMonth: boolean;
  readonly by: StatementGrouping;
  /** Only this site; null: all of them. */
  readonly site: string | null;
  /** Its first instant. ISO 8601 in UTC. @format date-time */
  readonly from: string;
  /** The first instant after it. ISO 8601 in UTC. @format date-time */
  readonly to: string;
  /** False while it goes on. The statement of a complete month never changes. */
  readonly complete: boolean;
  /** How far the statement goes: `to` where it is complete, else the last movement of money in it (`from` before the first one). @format date-time */
  readonly until: string;
  /** In the order of groups (by code point, null last) and currencies. */
  readonly lines: readonly StatementLine[];
  readonly totals: readonly StatementTotal[];
}
