import { subtractMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { Spend } from "../../spend.ts";
import { and, asc, eq } from "../engine/drizzle.ts";
import { balance } from "../schema/money.ts";
import { asked, micros, type Queries, type ReportTx } from "./queries.ts";

/** All money ever moved under a scope (`all`, `run:<runId>`), by currency: the rows of its `total` period, fees apart. */
export function readSpend(tx: ReportTx, scope: string): Readonly<Record<Currency, Spend>> {
  return Object.fromEntries(
    tx
      .rows(selectSpend, { scope })
      .map(({ currency, ...spend }) => [
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
    })
    .from(balance)
    .where(and(eq(balance.scope, asked("scope")), eq(balance.period, "total")))
    .orderBy(asc(balance.currency));
