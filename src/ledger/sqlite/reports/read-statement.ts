/**
 * What a month's bookings add up to, by group. Bookings are found by their index of time; purchases, reports and uses by what a booking names.
 * Which of it counts in which figure of a statement is not said here but in statement/add-up.ts.
 */
import { setImmediate } from "node:timers/promises";
import type { SQL } from "drizzle-orm";
import { type Micros, toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { DOUBT_BOOKINGS } from "../../../statement/booking.ts";
import { STATEMENT_GROUPINGS, type StatementGrouping } from "../../../statement/statement.ts";
import type { BookedPurchases, OpenDoubts, StatementFacts, TakenUses } from "../../../statement/statement-facts.ts";
import { alias, and, desc, eq, isNotNull, ne, sql } from "../engine/drizzle.ts";
import type { Asked } from "../operation.ts";
import { license, rule } from "../schema/decisions.ts";
import { booking } from "../schema/money.ts";
import { resolution } from "../schema/open-items.ts";
import { page, site } from "../schema/pages.ts";
import { purchase } from "../schema/purchases.ts";
import { run } from "../schema/runs.ts";
import { receipt, usageBatch, usageEntry, use } from "../schema/usage.ts";
import { asked, columns, IS_USE_OF_REPORT, type Queries, type ReportCore } from "./queries.ts";
import { matches } from "./read-run-purchases.ts";

/** `2026-11-30` of an instant, by SQLite's calendar. */
const day = (at: unknown) => sql<string>`strftime('%Y-%m-%d', ${at} / 1000, 'unixepoch')`;
const month = (at: unknown) => sql<string>`strftime('%Y-%m', ${at} / 1000, 'unixepoch')`;

/** What a line stands for. A later use stands with the purchase whose content was used; one of a page that was only indexed has none. */
const GROUPS: Readonly<Record<StatementGrouping, SQL<string | null>>> = {
  site: sql`${site.host}`,
  license: sql`${license.licenseType} || coalesce(' ' || ${license.cuid}, '')`,
  policy: sql`${purchase.policyName}`,
  rule: sql`${purchase.policyName} || ': ' || coalesce(${rule.text}, 'rule ' || (${purchase.ruleIndex} + 1))`,
  run: sql`${run.name}`,
  day: day(booking.at),
  month: month(booking.at),
};

const total = (amount: unknown) => sql<Micros>`coalesce(sum(${amount}), 0)`.mapWith(toMicros);
/** A sum that may be too large to count: then it is the largest that can be counted. */
const countable = (amount: unknown) =>
  sql<Micros>`total(${amount})`.mapWith((sum: number) => toMicros(Math.min(sum, Number.MAX_SAFE_INTEGER)));
const SET_ASIDE = sql`${purchase.quotedMicros} + ${purchase.feeMicros} + ${purchase.useReserveMicros}`;

const DAY_MS = 86_400_000;
const IS_READ = sql`${booking.seq} <= ${asked("until")}`;
const IS_IN_RANGE = sql`${booking.at} >= ${asked("from")} and ${booking.at} < ${asked("to")} and ${IS_READ}`;
const IS_OF_SITE = matches(site.host, "host");

/** In the words of the index `booking_of_doubt`. */
const isOfDoubt = (kind: unknown) => sql`${kind} in (${sql.raw(DOUBT_BOOKINGS.map((one) => `'${one}'`).join(", "))})`;

/**
 * Reads: booking by its index of time, and what each booking names; one day at once, so that a service answers its requests in between. Nothing
 * that is booked meanwhile is read: bookings are numbered, and never change.
 */
export async function readStatement(
  core: ReportCore,
  { from, to, by, host }: Asked<"readStatement">,
): Promise<StatementFacts> {
  const last = await core.read((tx) => tx.row(selectNewest));
  const until = last?.seq ?? 0;
  const select = SELECTS[by];
  const openAt = (at: OpenDoubts["at"], before: number) =>
    core.read((tx) => tx.rows(select.openDoubts, { before, host, until }).map((row): OpenDoubts => ({ at, ...row })));
  const days: Pick<StatementFacts, "purchases" | "uses" | "receipts">[] = [];
  for (let begin = from; begin < to; begin += DAY_MS) {
    const range = { from: begin, to: Math.min(begin + DAY_MS, to), host, until };
    days.push(
      await core.read((tx) => ({
        purchases: tx.rows(select.purchases, range),
        uses: tx.rows(select.uses, range),
        receipts: [...tx.rows(selectReceipts, range), ...tx.rows(selectReceiptsAsExpected, range)],
      })),
    );
    await setImmediate();
  }
  return {
    purchases: days.flatMap(({ purchases }) => purchases),
    uses: days.flatMap(({ uses }) => uses),
    receipts: days.flatMap(({ receipts }) => receipts),
    openDoubts: [...(await openAt("start", from)), ...(await openAt("end", to))],
    lastOfMonthAt: (await core.read((tx) => tx.row(selectLastOfMonth, { from, to, until })))?.at ?? null,
    lastBookedAt: last?.at ?? null,
  };
}

const selectsOf = (group: SQL<string | null>) => ({
  purchases: (queries: Queries) => selectPurchases(queries, group),
  openDoubts: (queries: Queries) => selectOpenDoubts(queries, group),
  uses: (queries: Queries) => selectUses(queries, group),
});

/** By what a line stands for. */
const SELECTS = Object.fromEntries(STATEMENT_GROUPINGS.map((by) => [by, selectsOf(GROUPS[by])])) as Record<
  StatementGrouping,
  ReturnType<typeof selectsOf>
>;

function selectPurchases(queries: Queries, group: SQL<string | null>) {
  const byOperator = sql<boolean>`exists (select 1 from ${resolution} where ${resolution.purchaseId} = ${purchase.id} and ${resolution.outcome} = 'charged' and ${resolution.source} = 'operator')`;
  const budgetMonth = month(purchase.reservedAt);
  return queries
    .select({
      kind: sql<BookedPurchases["kind"]>`${booking.kind}`,
      intent: purchase.intent,
      byOperator: byOperator.mapWith(Boolean),
      group,
      ...columns(purchase, "currency", "chargedCurrency"),
      budgetMonth,
      pages: sql<number>`count(*)`,
      setAsideMicros: total(SET_ASIDE),
      chargedMicros: total(purchase.chargedMicros),
      feeMicros: total(purchase.chargedFeeMicros),
    })
    .from(booking)
    .innerJoin(purchase, eq(purchase.id, booking.purchaseId))
    .innerJoin(site, eq(site.id, purchase.siteId))
    .innerJoin(run, eq(run.id, purchase.runId))
    .leftJoin(license, eq(license.id, purchase.licenseId))
    .leftJoin(rule, eq(rule.id, purchase.ruleId))
    .where(and(IS_IN_RANGE, IS_OF_SITE))
    .groupBy(sql`1, 2, 3, 4, 5, 6, 7`);
}

/** Doubts that were opened before an instant, and did not end before it. There are as few as doubts ever were. */
function selectOpenDoubts(queries: Queries, group: SQL<string | null>) {
  const end = alias(booking, "ended");
  const ended = queries
    .select({ seq: end.seq })
    .from(end)
    .where(
      and(
        eq(end.purchaseId, booking.purchaseId),
        isOfDoubt(end.kind),
        ne(end.kind, "doubt_opened"),
        sql`${end.at} < ${asked("before")} and ${end.seq} <= ${asked("until")}`,
      ),
    );
  return queries
    .select({
      group,
      currency: sql<Currency>`${purchase.currency}`,
      pages: sql<number>`count(*)`,
      setAsideMicros: total(SET_ASIDE),
    })
    .from(booking)
    .innerJoin(purchase, eq(purchase.id, booking.purchaseId))
    .innerJoin(site, eq(site.id, purchase.siteId))
    .innerJoin(run, eq(run.id, purchase.runId))
    .leftJoin(license, eq(license.id, purchase.licenseId))
    .leftJoin(rule, eq(rule.id, purchase.ruleId))
    .where(
      and(
        isOfDoubt(booking.kind),
        eq(booking.kind, "doubt_opened"),
        sql`${booking.at} < ${asked("before")}`,
        IS_READ,
        sql`not exists ${ended}`,
        IS_OF_SITE,
      ),
    )
    .groupBy(sql`1, 2`);
}

function selectUses(queries: Queries, group: SQL<string | null>) {
  return queries
    .select({
      kind: sql<TakenUses["kind"]>`${use.kind}`,
      group,
      ...columns(use, "currency", "chargedCurrency"),
      budgetMonth: month(use.budgetAt),
      times: sql<number>`sum(${use.times})`,
      expectedMicros: total(sql`${use.billed} * ${use.unitMicros} * ${use.times}`),
      chargedMicros: total(use.chargedMicros),
    })
    .from(booking)
    .innerJoin(usageBatch, eq(usageBatch.id, booking.usageBatchId))
    .innerJoin(use, IS_USE_OF_REPORT)
    .innerJoin(site, eq(site.id, use.siteId))
    .innerJoin(license, eq(license.id, use.licenseId))
    .leftJoin(purchase, eq(purchase.id, use.purchaseId))
    .leftJoin(run, eq(run.id, purchase.runId))
    .leftJoin(rule, eq(rule.id, purchase.ruleId))
    .where(and(IS_IN_RANGE, IS_OF_SITE))
    .groupBy(sql`1, 2, 3, 4, 5`);
}

/**
 * The gateway's own totals for what was reported. As in the audit, a sum that is too large to count is given as the largest that can be
 * counted: a receipt may name any sum.
 */
const selectReceipts = (queries: Queries) =>
  queries
    .select({
      currency: receipt.currency,
      micros: countable(receipt.totalMicros),
    })
    .from(booking)
    .innerJoin(receipt, eq(receipt.batchId, booking.usageBatchId))
    .innerJoin(usageEntry, eq(usageEntry.id, receipt.entryId))
    .innerJoin(page, eq(page.id, usageEntry.pageId))
    .innerJoin(site, eq(site.id, page.siteId))
    .where(and(IS_IN_RANGE, IS_OF_SITE))
    .groupBy(receipt.currency)
    .orderBy(receipt.currency);

/**
 * Of reports of which every receipt says what its entry says: the receipts have no rows of their own, and an entry comes to what its uses were
 * expected to. CROSS JOIN keeps the order of the tables.
 */
const selectReceiptsAsExpected = (queries: Queries) =>
  queries
    .select({
      currency: use.currency,
      micros: countable(sql`${use.unitMicros} * ${use.times}`),
    })
    .from(booking)
    .crossJoin(usageBatch)
    .crossJoin(use)
    .crossJoin(site)
    .where(
      and(
        IS_IN_RANGE,
        eq(usageBatch.id, booking.usageBatchId),
        isNotNull(usageBatch.receiptsAsExpectedAt),
        IS_USE_OF_REPORT,
        eq(site.id, use.siteId),
        IS_OF_SITE,
      ),
    )
    .groupBy(use.currency)
    .orderBy(use.currency);

const selectLastOfMonth = (queries: Queries) =>
  queries.select({ at: booking.at }).from(booking).where(IS_IN_RANGE).orderBy(desc(booking.at)).limit(1);

const selectNewest = (queries: Queries) =>
  queries.select({ seq: booking.seq, at: booking.at }).from(booking).orderBy(desc(booking.seq)).limit(1);
