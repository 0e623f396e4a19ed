import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Micros, subtractMicros, toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { periodKey } from "../../../time/period.ts";
import type { DaySpend, Spend, SpendQuery } from "../../spend.ts";
import { and, asc, between, eq, sql } from "../engine/drizzle.ts";
import type { Answered, Asked } from "../operation.ts";
import { balance } from "../schema/money.ts";
import { site } from "../schema/pages.ts";
import { asked, micros, type Queries, type ReportTx } from "./queries.ts";

/** All money ever moved under a scope (`all`, `run:<runId>`), by currency: the rows of its `total` period, fees apart. */
export function readSpend(tx: ReportTx, scope: string): Readonly<Record<Currency, Spend>> {
  return toSpends(tx.rows(selectSpend, { scope, period: "total" }).map(({ bought, failed, ...spend }) => spend));
}

/** The same of one UTC day, with its pages. */
export function readDay(tx: ReportTx, { at }: Asked<"readDay">): Readonly<Record<Currency, DaySpend>> {
  return toSpends(tx.rows(selectSpend, { scope: "all", period: periodKey("day", at) }));
}

function toSpends<Row extends Spend>(rows: readonly (Row & { readonly currency: Currency })[]) {
  return Object.fromEntries(
    rows.map((row) => {
      const { currency, ...spend } = withFeesApart(row);
      return [currency, spend];
    }),
  );
}

function withFeesApart<Row extends Spend>(row: Row): Row {
  return { ...row, settledMicros: subtractMicros(row.settledMicros, row.feeMicros) };
}

const DAY_PREFIX = "day:";
const dayRange = ({ firstDay, lastDay }: SpendQuery) => ({
  first: DAY_PREFIX + firstDay,
  last: DAY_PREFIX + lastDay,
});

/** Ranges of the key of balance: one over all sites, and one for each site. */
export function readDays(tx: ReportTx, { host, ...days }: Asked<"readDays">): Answered<"readDays"> {
  const range = dayRange(days);
  const hosts = host === null ? tx.rows(selectHosts).map((row) => row.host) : [host];
  return {
    days: tx.rows(selectDays, { scope: host === null ? "all" : `site:${host}`, ...range }).map(withFeesApart),
    sites: hosts.flatMap((one) =>
      tx.rows(selectSum, { scope: `site:${one}`, ...range }).map((row) => ({ host: one, ...withFeesApart(row) })),
    ),
  };
}

const selectDays = (queries: Queries) =>
  queries
    .select({ day: sql<string>`substr(${balance.period}, ${DAY_PREFIX.length + 1})`, ...BALANCE })
    .from(balance)
    .where(and(eq(balance.scope, asked("scope")), between(balance.period, asked("first"), asked("last"))))
    .orderBy(asc(balance.period), asc(balance.currency));

const selectHosts = (queries: Queries) => queries.select({ host: site.host }).from(site).orderBy(asc(site.host));

const sumOf = (column: AnySQLiteColumn) => sql<Micros>`sum(${column})`.mapWith(toMicros);

const selectSum = (queries: Queries) =>
  queries
    .select({
      currency: balance.currency,
      settledMicros: sumOf(balance.settledMicros),
      inDoubtMicros: sumOf(balance.inDoubtMicros),
      reservedMicros: sumOf(balance.reservedMicros),
      feeMicros: sumOf(balance.feeMicros),
      bought: sql<number>`sum(${balance.boughtPages})`,
      failed: sql<number>`sum(${balance.failedPages})`,
    })
    .from(balance)
    .where(and(eq(balance.scope, asked("scope")), between(balance.period, asked("first"), asked("last"))))
    .groupBy(balance.currency)
    .orderBy(asc(balance.currency));

const BALANCE = {
  currency: balance.currency,
  settledMicros: micros(balance.settledMicros),
  inDoubtMicros: micros(balance.inDoubtMicros),
  reservedMicros: micros(balance.reservedMicros),
  feeMicros: micros(balance.feeMicros),
  bought: balance.boughtPages,
  failed: balance.failedPages,
};

const selectSpend = (queries: Queries) =>
  queries
    .select(BALANCE)
    .from(balance)
    .where(and(eq(balance.scope, asked("scope")), eq(balance.period, asked("period"))))
    .orderBy(asc(balance.currency));
