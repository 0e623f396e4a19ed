import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { Spend } from "../../ledger-reports.ts";
import type { Connection } from "../engine/connection.ts";

interface SpendRow {
  readonly currency: Currency;
  readonly settled: number;
  readonly inDoubt: number;
  readonly reserved: number;
  readonly fee: number;
}

/** All money ever moved under a scope (`all`, `run:<runId>`), by currency: the rows of its `total` period, fees apart. */
export function createSelectSpend(db: Connection): (scope: string) => Readonly<Record<Currency, Spend>> {
  const select = db.prepare<[string], SpendRow>(
    "SELECT currency, settled_micros AS settled, in_doubt_micros AS inDoubt, reserved_micros AS reserved, fee_micros AS fee FROM balance WHERE scope = ? AND period = 'total' ORDER BY currency",
  );
  return (scope) =>
    Object.fromEntries(
      select.all(scope).map(({ currency, settled, inDoubt, reserved, fee }) => [
        currency,
        {
          settledMicros: toMicros(settled - fee),
          inDoubtMicros: toMicros(inDoubt),
          reservedMicros: toMicros(reserved),
          feeMicros: toMicros(fee),
        },
      ]),
    );
}
