import { subtractMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { periodKey } from "../../../time/period.ts";
import type { DaySpend, Spend } from "../../spend.ts";
import { and, asc, eq } from "../engine/drizzle.ts";
import type { Asked } from "../operation.ts";
import { balance } from "../schema/money.ts";
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
    rows.map(({ currency, ...spend }) => [
      currency,
      { ...spend, settledMicros: subtractMicros(spend.settledMicros, spend.feeMicros) },
    ]),
  );
}

const selectSpend = (queries: Queries) =>
  queries
    .select({
      currency: balance.currency,
      settledMicros: micros(balance.settledMicros),
      inDoubtMicros: micros(balance.inDoubtMicros),
      reservedMicros: micros(balance.reservedMicros),
      feeMicros: micros(balance.feeMicros),
      bought: balance.boughtPages,
      failed: balance.failedPages,
    })
    .from(balance)
    .where(and(eq(balance.scope, asked("scope")), eq(balance.period, asked("period"))))
    .orderBy(asc(balance.currency));
