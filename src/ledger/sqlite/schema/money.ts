/** What counts against budgets, and when money moved. */

import { BOOKING_KINDS, DOUBT_BOOKINGS } from "../../../statement/booking.ts";
import { check, index, integer, primaryKey, sql, sqliteTable, text, uniqueIndex } from "../engine/drizzle.ts";
import { equalsOneOf, isBoolean, isNotNegative, isOneOf } from "./checks.ts";
import { license, rule } from "./decisions.ts";
import { keyOf } from "./key-of.ts";
import { site } from "./pages.ts";
import { purchase } from "./purchases.ts";
import { run } from "./runs.ts";
import { usageBatch } from "./usage.ts";

/**
 * What counts against budgets, and how many pages it bought, by scope and period (budget/scope.ts) and currency. Kept for every scope and period,
 * whatever budgets are configured. A cache: `audit` derives it from the rows by another path.
 */
export const balance = sqliteTable(
  "balance",
  {
    scope: text("scope").notNull(),
    period: text("period").notNull(),
    currency: text("currency").notNull(),
    reservedMicros: integer("reserved_micros").notNull(),
    inDoubtMicros: integer("in_doubt_micros").notNull(),
    /** Fees included. */
    settledMicros: integer("settled_micros").notNull(),
    /** The part of settled_micros that was fees. */
    feeMicros: integer("fee_micros").notNull(),
    /** Purchases that are settled now, and those that were released as failed (purchase/purchase.ts): of the decisions of the period. */
    boughtPages: integer("bought_pages").notNull().default(0),
    failedPages: integer("failed_pages").notNull().default(0),
    /** What the approved purchases set aside when they were decided, whatever became of them. What was taken back is not in it. */
    allowedMicros: integer("allowed_micros").notNull().default(0),
    /** The part of settled_micros that was charged on reports of uses. */
    reportedMicros: integer("reported_micros").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.scope, t.period, t.currency] }),
    check("balance_pages", sql`${t.boughtPages} >= 0 and ${t.failedPages} >= 0`),
    check(
      "balance_amounts",
      sql`${t.reservedMicros} >= 0 and ${t.inDoubtMicros} >= 0 and ${t.settledMicros} >= 0 and ${t.feeMicros} >= 0`,
    ),
    check("balance_exact", sql`${t.reservedMicros} + ${t.inDoubtMicros} + ${t.settledMicros} <= 9007199254740991`),
  ],
);

/**
 * A budget that was found to be used up: the first page that did not fit it, in one period, under one limit. Written with the decision about
 * that page, so that an alert can be raised of it whatever happens next.
 */
export const spentBudget = sqliteTable(
  "spent_budget",
  {
    /** With `period` and `currency`, the key of the balance (schema/balance.ts). */
    scope: text("scope").notNull(),
    period: text("period").notNull(),
    currency: text("currency").notNull(),
    limitMicros: integer("limit_micros").notNull(),
    at: integer("at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.scope, t.period, t.currency, t.limitMicros] }),
    check("spent_budget_limit", isNotNegative(t.limitMicros)),
  ],
);

/**
 * When money moved, as statements count it (statement/booking.ts). Written by the functions that move a
 * purchase or a report (account/), in the transaction that moves the money. Only ever added to. The amounts are those of the purchase or of the report's uses, which do not change any
 * more.
 */
export const booking = sqliteTable(
  "booking",
  {
    seq: integer("seq").primaryKey(),
    /**
     * The instant of the fact, but never before the booking made last: a month that has ended gets no further booking when one process is slow
     * or its clock is behind. A clock that was wrong by more than a month does not count.
     */
    at: integer("at").notNull(),
    kind: text("kind", { enum: BOOKING_KINDS }).notNull(),
    purchaseId: integer("purchase_id").references(() => purchase.id),
    usageBatchId: integer("usage_batch_id").references(() => usageBatch.id),
  },
  (t) => [
    check("booking_kind", equalsOneOf(t.kind, BOOKING_KINDS)),
    check(
      "booking_subject",
      sql`(${t.usageBatchId} is not null) = (${t.kind} = 'report_taken') and (${t.purchaseId} is null) = (${t.kind} = 'report_taken')`,
    ),
    index("booking_by_time").on(t.at),
    uniqueIndex("booking_of_doubt")
      .on(t.purchaseId, t.kind)
      .where(equalsOneOf(sql.raw("kind"), DOUBT_BOOKINGS)),
  ],
);

/** What a kept sum is of: bookings of purchases by their kind, the uses of reports that were taken, and what their receipts said. */
export const SUMMED_KINDS = [
  "fetch",
  "use",
  "receipt",
  ...BOOKING_KINDS.filter((kind) => kind !== "report_taken"),
] as const;

/**
 * What bookings add up to, so that a statement does not read each of them again (money/booking-sums.ts). A row is of bookings that follow each other,
 * up to `until_seq`, and agree in everything that a statement tells apart. Rows are only added: what a booking says does not change. A cache: `audit`
 * adds up the bookings by another path.
 */
export const bookingSum = sqliteTable(
  "booking_sum",
  {
    id: integer("id").primaryKey(),
    /** Every booking up to this number is in a row up to this one. */
    untilSeq: integer("until_seq").notNull(),
    /** The UTC day of the bookings: days since 1970. */
    day: integer("day").notNull(),
    kind: text("kind", { enum: SUMMED_KINDS }).notNull(),
    /** Of purchases; NULL of uses and receipts. */
    intent: text("intent", { enum: ["content", "indexing"] }),
    /** A person said that it was charged. */
    byOperator: integer("by_operator", { mode: "boolean" }).notNull(),
    siteId: keyOf("site_id", () => site.id),
    runId: integer("run_id").references(() => run.id),
    licenseId: integer("license_id").references(() => license.id),
    policyName: text("policy_name"),
    ruleIndex: integer("rule_index"),
    ruleId: integer("rule_id").references(() => rule.id),
    currency: text("currency"),
    chargedCurrency: text("charged_currency"),
    /** The month in whose budgets it counts: `2026-11`. NULL of receipts. */
    budgetMonth: text("budget_month"),
    /** Pages, or how often pages were used. */
    count: integer("count").notNull(),
    /** What purchases set aside, or uses were expected to cost. */
    expectedMicros: integer("expected_micros").notNull(),
    /** Of receipts: what they say, at most the largest sum that can be counted. */
    chargedMicros: integer("charged_micros").notNull(),
    feeMicros: integer("fee_micros").notNull(),
  },
  (t) => [
    check("booking_sum_kind", isOneOf(t.kind, SUMMED_KINDS)),
    check("booking_sum_by_operator", isBoolean(t.byOperator)),
    check(
      "booking_sum_amounts",
      sql`${t.count} >= 0 and ${t.expectedMicros} >= 0 and ${t.chargedMicros} >= 0 and ${t.feeMicros} >= 0`,
    ),
    index("booking_sum_by_day").on(t.day),
  ],
);

/** A month whose statement was called complete: no booking is made in it any more (docs/decisions/0083). Rows are added, and reopened once. */
export const closedMonth = sqliteTable(
  "closed_month",
  {
    id: integer("id").primaryKey(),
    startsAt: integer("starts_at").notNull(),
    endsAt: integer("ends_at").notNull(),
    /** Bookings up to this number were made before. */
    bookingsBefore: integer("bookings_before").notNull(),
    /** Bookings up to this number were made before a person said that the month had not ended. NULL: the month is closed. */
    reopenedAfter: integer("reopened_after"),
  },
  (t) => [
    check("closed_month_order", sql`${t.startsAt} < ${t.endsAt} and ${t.bookingsBefore} >= 0`),
    check("closed_month_reopened", sql`${t.reopenedAfter} is null or ${t.reopenedAfter} >= ${t.bookingsBefore}`),
    uniqueIndex("closed_month_once").on(t.endsAt).where(sql`reopened_after is null`),
  ],
);
