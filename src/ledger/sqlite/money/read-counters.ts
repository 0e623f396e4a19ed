import type { ReadTx } from "../operation.ts";
import type { COUNTERS } from "../schema/counts.ts";

type Counter = (typeof COUNTERS)[number];

export interface CounterTotals {
  of(name: Counter): number;
  /** Uses in whatever state. */
  readonly uses: number;
}

/** The counts over the whole ledger (schema/counts.ts): their cost does not grow with it. */
export function readCounters(tx: ReadTx): CounterTotals {
  const rows = tx.all<{ name: Counter; count: number }>`SELECT name, count FROM counter`;
  const counts = new Map(rows.map(({ name, count }) => [name, count]));
  return {
    of: (name) => counts.get(name) ?? 0,
    uses: rows.reduce((total, { name, count }) => (name.startsWith("use_") ? total + count : total), 0),
  };
}
