import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Micros, toMicros } from "../../../money/micros.ts";
import type { SpendQuery } from "../../spend.ts";
import { and, asc, between, eq, sql } from "../engine/drizzle.ts";
import { toSpend } from "../money/read-spend.ts";
import type { Answered, Asked } from "../operation.ts";
import { balance } from "../schema/money.ts";
import { site } from "../schema/pages.ts";
import { asked, micros, type Queries, type ReportTx } from "./queries.ts";

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
    days: tx.rows(selectDays, { scope: host === null ? "all" : `site:${host}`, ...range }).map(toSpend),
    sites: hosts.flatMap((one) =>
      tx.rows(selectSum, { scope: `site:${one}`, ...range }).map((row) => ({ host: one, ...toSpend(row) })),
    ),
  };
}

const BALANCE = {
  currency: balance.currency,
  settledMicros: micros(balance.settledMicros),
  inDoubtMicros: micros(balance.inDoubtMicros),
  reservedMicros: micros(balance.reservedMicros),
  feeMicros: micros(balance.feeMicros),
  bought: balance.boughtPages,
  failed: balance.failedPages,
};

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
