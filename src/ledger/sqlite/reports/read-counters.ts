import { type COUNTERS, counter } from "../schema/counts.ts";
import type { Queries, ReportTx } from "./queries.ts";

type Counter = (typeof COUNTERS)[number];

export interface CounterTotals {
  of(name: Counter): number;
  /** Uses in whatever state. */
  readonly uses: number;
}

/** The counts over the whole ledger (schema/counts.ts): their cost does not grow with it. */
export function readCounters(tx: ReportTx): CounterTotals {
  const rows = tx.rows(selectCounters);
  const counts = new Map(rows.map(({ name, count }) => [name, count]));
  return {
    of: (name) => counts.get(name) ?? 0,
    uses: rows.reduce((total, { name, count }) => (name.startsWith("use_") ? total + count : total), 0),
  };
}

const selectCounters = (queries: Queries) => queries.select({ name: counter.name, count: counter.count }).from(counter);
