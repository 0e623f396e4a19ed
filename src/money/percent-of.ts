import type { Micros } from "./micros.ts";

/** How many whole percent of an amount another one is, rounded down. Exact for every pair of amounts. @param whole more than 0 */
export function percentOf(part: Micros, whole: Micros): number {
  return Number((BigInt(part) * 100n) / BigInt(whole));
}
