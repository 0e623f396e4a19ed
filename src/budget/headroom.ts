import { type Micros, toMicros } from "../money/micros.ts";
import type { Balance, Budget } from "./budget.ts";

/**
 * What a budget still admits: limit − settled − in doubt − reserved, in micros of its currency. Negative when the limit was
 * lowered, or was passed by a charge above the token's cap or a use that had to be recorded (promise 1).
 */
export function headroom(budget: Budget, balance: Balance): Micros {
  return toMicros(budget.limitMicros - balance.settledMicros - balance.inDoubtMicros - balance.reservedMicros);
}

/** The same for people: what is left, never below zero, and by how much the limit is passed. */
export function leftAndOver(
  budget: Budget,
  balance: Balance,
): { readonly leftMicros: Micros; readonly overMicros: Micros } {
  const left = headroom(budget, balance);
  return { leftMicros: toMicros(Math.max(0, left)), overMicros: toMicros(Math.max(0, -left)) };
}
