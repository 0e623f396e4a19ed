import type { Balance } from "../../../budget/budget.ts";
import { type Micros, toMicros } from "../../../money/micros.ts";
import type { Connection } from "../engine/connection.ts";
import type { BalanceKeyInCurrency } from "../money/balance-book.ts";

interface BalanceRow {
  readonly settled: number;
  readonly inDoubt: number;
  readonly reserved: number;
  readonly fee: number;
}

const NOTHING: BalanceRow = { settled: 0, inDoubt: 0, reserved: 0, fee: 0 };

/** Reads one committed balance row, for reports. Within a write, what the balance book says counts. */
export function createSelectBalance(
  db: Connection,
): (key: BalanceKeyInCurrency) => { readonly balance: Balance; readonly feeMicros: Micros } {
  const select = db.prepare<[string, string, string], BalanceRow>(
    "SELECT settled_micros AS settled, in_doubt_micros AS inDoubt, reserved_micros AS reserved, fee_micros AS fee FROM balance WHERE scope = ? AND period = ? AND currency = ?",
  );
  return ({ scope, period, currency }) => {
    const { settled, inDoubt, reserved, fee } = select.get(scope, period, currency) ?? NOTHING;
    return {
      balance: {
        settledMicros: toMicros(settled),
        inDoubtMicros: toMicros(inDoubt),
        reservedMicros: toMicros(reserved),
      },
      feeMicros: toMicros(fee),
    };
  };
}
