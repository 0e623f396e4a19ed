import type { Movement } from "../../../account/movement.ts";
import type { Tx } from "../operation.ts";

/** Where and when a movement counts. */
export interface MovementPlace {
  /** Null: it belongs to no run. */
  readonly runRowId: number | null;
  readonly siteId: number;
  readonly at: number;
}

/** Its amounts, its pages and its counters. @param times how many rows move alike; their amounts are those of all */
export function writeMovement(tx: Tx, { amounts, pages, counters }: Movement, place: MovementPlace, times = 1): void {
  const { runRowId, siteId, at } = place;
  if (runRowId !== null) {
    for (const { counter, reason, by } of counters) {
      tx.counters.add({ runRowId, siteId, kind: counter, reason }, by * times);
    }
  }
  if (amounts.length + pages.length > 0) {
    const where = { host: tx.hosts.hostOf(siteId), runId: runRowId === null ? null : tx.runs.nameOf(runRowId), at };
    for (const { account, currency, micros } of amounts) {
      tx.balances.account({ ...where, currency })[account] += micros;
    }
    for (const { account, currency, by } of pages) {
      tx.balances.account({ ...where, currency })[account] += by * times;
    }
  }
}
