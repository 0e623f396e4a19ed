import { type Micros, subtractMicros, toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { BalanceBook } from "./balance-book.ts";

/**
 * How much more money of a currency can be counted exactly: what is left below 2^53 in the balance that holds all the others.
 * A movement beyond it would break a CHECK, and take down everything that shares its transaction.
 */
export function countableRoom(balances: BalanceBook, currency: Currency): Micros {
  const { settledMicros, inDoubtMicros, reservedMicros } = balances.read({ scope: "all", period: "total", currency });
  const counted = [settledMicros, inDoubtMicros, reservedMicros];
  return counted.reduce(subtractMicros, toMicros(Number.MAX_SAFE_INTEGER));
}
