import { type Micros, toMicros } from "../money/micros.ts";
import type { Balance, Budget } from "./budget.ts";

/**
 * What remains of a budget: limit − settled − in doubt − reserved, in micros of its currency. It is negative when the limit was
 * lowered, or when a charge above the token's cap or a recorded use exceeded it (promise 1).
 */
export function headroom(budget: Budget, balance: Balance): Micros {
  return toMicros(budget.limitMicros - balance.spentMicros - balance.inDoubtMicros - balance.reservedMicros);
}

/** The headroom for display: the rest, never below zero, and the amount above the limit. */
export function leftAndOver(
  budget: Budget,
  balance: Balance,
): { readonly leftMicros: Micros; readonly overMicros: Micros } {
  const left = headroom(budget, balance);
  return { leftMicros: toMicros(Math.max(0, left)), overMicros: toMicros(Math.max(0, -left)) };
}
