import type { Balance } from "../../budget/budget.ts";
import { toMicros } from "../../money/micros.ts";
import type { BalanceKeyInCurrency } from "./balance-book.ts";
import type { Connection } from "./connection.ts";

/** Reads one committed balance row, for reports. Within a write, what the balance book says counts. */
export function createSelectBalance(db: Connection): (key: BalanceKeyInCurrency) => Balance {
  const select = db.prepare<[string, string, string], { settled: number; inDoubt: number; reserved: number }>(
    "SELECT settled_micros AS settled, in_doubt_micros AS inDoubt, reserved_micros AS reserved FROM balance WHERE scope = ? AND period = ? AND currency = ?",
  );
  return ({ scope, period, currency }) => {
    const { settled, inDoubt, reserved } = select.get(scope, period, currency) ?? {
      settled: 0,
      inDoubt: 0,
      reserved: 0,
    };
    return { settledMicros: toMicros(settled), inDoubtMicros: toMicros(inDoubt), reservedMicros: toMicros(reserved) };
  };
}
