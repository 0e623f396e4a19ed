import { and, asc, eq } from "../engine/drizzle.ts";
import type { Answered, Asked } from "../operation.ts";
import { balance } from "../schema/money.ts";
import { asked, micros, type Queries, type ReportTx } from "./queries.ts";
import { findRun } from "./read-run-purchases.ts";

/** What the allowed pages of a run set aside, and what reports of its uses were charged: a row a currency. */
export function readRunMoney(tx: ReportTx, { runId }: Asked<"readRunMoney">): Answered<"readRunMoney"> {
  findRun(tx, runId);
  const rows = tx.rows(selectRunMoney, { scope: `run:${runId}` });
  return Object.fromEntries(rows.map(({ currency, ...money }) => [currency, money]));
}

const selectRunMoney = (queries: Queries) =>
  queries
    .select({
      currency: balance.currency,
      allowedMicros: micros(balance.allowedMicros),
      reportedMicros: micros(balance.reportedMicros),
    })
    .from(balance)
    .where(and(eq(balance.scope, asked("scope")), eq(balance.period, "total")))
    .orderBy(asc(balance.currency));
