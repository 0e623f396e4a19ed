import { subtractMicros, toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { periodKey } from "../../../time/period.ts";
import type { DaySpend, Spend } from "../../spend.ts";
import type { Asked, ReadTx } from "../operation.ts";

type SpendRow = DaySpend & { readonly currency: Currency };

/** All money ever moved under a scope (`all`, `run:<runId>`), by currency: the rows of its `total` period, fees apart. */
export function readSpend(tx: ReadTx, scope: string): Readonly<Record<Currency, Spend>> {
  return byCurrency(readRows(tx, scope, "total").map(({ bought, failed, ...spend }) => spend));
}

/** The same of one UTC day, with its pages. */
export function readDay(tx: ReadTx, { at }: Asked<"readDay">): Readonly<Record<Currency, DaySpend>> {
  return byCurrency(readRows(tx, "all", periodKey("day", at)));
}

function byCurrency<Row extends Spend>(rows: readonly (Row & { readonly currency: Currency })[]) {
  return Object.fromEntries(rows.map(({ currency, ...spend }) => [currency, spend]));
}

function readRows(tx: ReadTx, scope: string, period: string): readonly SpendRow[] {
  const rows = tx.all<SpendRow>`SELECT currency, settled_micros AS settledMicros, in_doubt_micros AS inDoubtMicros,
      reserved_micros AS reservedMicros, fee_micros AS feeMicros, bought_pages AS bought, failed_pages AS failed
    FROM balance WHERE scope = ${scope} AND period = ${period} ORDER BY currency`;
  return rows.map(toSpend);
}

/** A row of balances as it is said: fees apart, each amount checked while it is read. */
export function toSpend<Row extends Spend>(row: Row): Row {
  const feeMicros = toMicros(row.feeMicros);
  return {
    ...row,
    settledMicros: subtractMicros(toMicros(row.settledMicros), feeMicros),
    inDoubtMicros: toMicros(row.inDoubtMicros),
    reservedMicros: toMicros(row.reservedMicros),
    feeMicros,
  };
}
