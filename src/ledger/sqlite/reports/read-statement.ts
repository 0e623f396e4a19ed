/**
 * What the bookings of some days add up to, by group: from the sums that are kept (money/booking-sums.ts), and from the few bookings behind them. Which of
 * it counts in which figure of a statement is not said here but in statement/add-up.ts.
 */
import { assertBug } from "../../../errors.ts";
import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { DOUBT_BOOKINGS } from "../../../statement/booking.ts";
import type { StatementGrouping } from "../../../statement/statement.ts";
import type { BookedPurchases, OpenDoubts, TakenUses } from "../../../statement/statement-facts.ts";
import { readSummed, SUM_BOOKINGS, SUM_COLUMNS } from "../money/booking-sums.ts";
import { SET_ASIDE_SQL } from "../money/set-aside-sql.ts";
import type { Answered, Asked } from "../operation.ts";
import type { ReportTx } from "./queries.ts";

const DAY_MS = 86_400_000;

/** What a line stands for. A later use stands with the purchase whose content was used; one of a page that was only indexed has none. */
const GROUPS: Readonly<Record<StatementGrouping, string>> = {
  site: "s.host",
  license: "l.license_type || coalesce(' ' || l.cuid, '')",
  policy: "facts.policy_name",
  rule: "facts.policy_name || ': ' || coalesce(t.text, 'rule ' || (facts.rule_index + 1))",
  run: "r.name",
  day: "date(facts.day * 86400, 'unixepoch')",
  month: "strftime('%Y-%m', facts.day * 86400, 'unixepoch')",
};

const IN_RANGE = "day >= @firstDay AND day < @endDay";
const FACTS = `(SELECT ${SUM_COLUMNS} FROM booking_sum WHERE ${IN_RANGE}
  UNION ALL SELECT ${SUM_COLUMNS} FROM (${SUM_BOOKINGS}) WHERE ${IN_RANGE})`;
const NAMED = `facts CROSS JOIN site s ON s.id = facts.site_id LEFT JOIN run r ON r.id = facts.run_id LEFT JOIN license l ON l.id = facts.license_id
  LEFT JOIN rule t ON t.id = facts.rule_id WHERE (@host IS NULL OR s.host = @host)`;

const selectLines = (
  group: string,
) => `SELECT facts.kind, facts.intent, facts.by_operator AS byOperator, ${group} AS "group", facts.currency,
    facts.charged_currency AS chargedCurrency, facts.budget_month AS budgetMonth, sum(facts.count) AS count, sum(facts.expected_micros) AS expectedMicros,
    sum(facts.charged_micros) AS chargedMicros, sum(facts.fee_micros) AS feeMicros
  FROM ${FACTS} ${NAMED} AND facts.kind <> 'receipt' GROUP BY 1, 2, 3, 4, 5, 6, 7`;

/** A sum that may be too large to count is the largest that can be counted, as in the audit. */
const SELECT_RECEIPTS = `SELECT facts.currency, min(total(facts.charged_micros), ${Number.MAX_SAFE_INTEGER}) AS micros
  FROM ${FACTS} facts CROSS JOIN site s ON s.id = facts.site_id WHERE facts.kind = 'receipt' AND (@host IS NULL OR s.host = @host) GROUP BY 1 ORDER BY 1`;

/** In the words of the index `booking_of_doubt`. */
const isOfDoubt = (kind: string) => `(${DOUBT_BOOKINGS.map((one) => `${kind} = '${one}'`).join(" or ")})`;

/** Doubts that were opened before an instant, and did not end before it. There are as few as doubts ever were. */
const selectDoubts = (
  group: string,
) => `SELECT ${group} AS "group", facts.currency, count(*) AS pages, sum(${SET_ASIDE_SQL}) AS setAsideMicros
  FROM (SELECT p.*, b.at / ${DAY_MS} AS day FROM booking b INDEXED BY booking_of_doubt CROSS JOIN purchase p ON p.id = b.purchase_id
    WHERE ${isOfDoubt("b.kind")} AND b.kind = 'doubt_opened' AND b.at < @before AND NOT EXISTS (SELECT 1 FROM booking e
      WHERE e.purchase_id = b.purchase_id AND ${isOfDoubt("e.kind")} AND e.kind <> 'doubt_opened' AND e.at < @before)) ${NAMED} GROUP BY 1, 2`;

const selectsOf = (group: string) => ({ lines: selectLines(group), doubts: selectDoubts(group) });
/** By what a line stands for. */
const SELECTS: Readonly<Record<StatementGrouping, ReturnType<typeof selectsOf>>> = {
  site: selectsOf(GROUPS.site),
  license: selectsOf(GROUPS.license),
  policy: selectsOf(GROUPS.policy),
  rule: selectsOf(GROUPS.rule),
  run: selectsOf(GROUPS.run),
  day: selectsOf(GROUPS.day),
  month: selectsOf(GROUPS.month),
};

interface Line {
  readonly kind: BookedPurchases["kind"] | TakenUses["kind"];
  readonly intent: BookedPurchases["intent"] | null;
  readonly byOperator: number;
  readonly group: string | null;
  readonly currency: Currency | null;
  readonly chargedCurrency: Currency | null;
  readonly budgetMonth: string;
  readonly count: number;
  readonly expectedMicros: number;
  readonly chargedMicros: number;
  readonly feeMicros: number;
}

export function readStatement(tx: ReportTx, { from, to, by, host }: Asked<"readStatement">): Answered<"readStatement"> {
  assertBug(from % DAY_MS === 0 && to % DAY_MS === 0, "a statement is of whole days");
  const last = tx.get<{ readonly seq: number; readonly at: number }>(SELECT_NEWEST) ?? null;
  const range = { firstDay: from / DAY_MS, endDay: to / DAY_MS, host, after: readSummed(tx), until: last?.seq ?? 0 };
  const lines = tx.all<Line>(SELECTS[by].lines, range);
  const openAt = (at: OpenDoubts["at"], before: number) =>
    tx
      .all<Omit<OpenDoubts, "at">>(SELECTS[by].doubts, { before, host })
      .map((row): OpenDoubts => ({ at, ...row, setAsideMicros: toMicros(row.setAsideMicros) }));
  return {
    purchases: lines.filter(({ intent }) => intent !== null).map(toPurchases),
    uses: lines.filter(({ intent }) => intent === null).map(toUses),
    receipts: tx
      .all<{ readonly currency: Currency; readonly micros: number }>(SELECT_RECEIPTS, range)
      .map(({ currency, micros }) => ({ currency, micros: toMicros(micros) })),
    openDoubts: [...openAt("start", from), ...openAt("end", to)],
    lastOfMonthAt: tx.value<number>(SELECT_LAST_OF_MONTH, { from, to }) ?? null,
    lastBookedAt: last?.at ?? null,
  };
}

const SELECT_NEWEST = "SELECT seq, at FROM booking ORDER BY seq DESC LIMIT 1";
const SELECT_LAST_OF_MONTH = "SELECT at FROM booking WHERE at >= @from AND at < @to ORDER BY at DESC LIMIT 1";

function toPurchases({ kind, intent, byOperator, count, expectedMicros, chargedMicros, feeMicros, ...line }: Line) {
  return {
    ...line,
    kind: kind as BookedPurchases["kind"],
    intent: intent as BookedPurchases["intent"],
    byOperator: byOperator === 1,
    pages: count,
    setAsideMicros: toMicros(expectedMicros),
    chargedMicros: toMicros(chargedMicros),
    feeMicros: toMicros(feeMicros),
  } satisfies BookedPurchases;
}

function toUses({
  kind,
  intent: _,
  byOperator: __,
  count,
  expectedMicros,
  chargedMicros,
  feeMicros: ___,
  ...line
}: Line) {
  return {
    ...line,
    kind: kind as TakenUses["kind"],
    times: count,
    expectedMicros: toMicros(expectedMicros),
    chargedMicros: toMicros(chargedMicros),
  } satisfies TakenUses;
}
