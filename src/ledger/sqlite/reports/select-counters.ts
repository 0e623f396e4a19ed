import { type COUNTERS, counter } from "../schema/counter.ts";
import type { ReportDeps } from "./queries.ts";

type Counter = (typeof COUNTERS)[number];

export interface Counters {
  of(name: Counter): number;
  /** Uses in whatever state. */
  readonly uses: number;
}

/** The counts over the whole ledger (schema/counter.ts): their cost does not grow with it. */
export function createSelectCounters({ queries }: ReportDeps): () => Counters {
  const select = queries.select({ name: counter.name, count: counter.count }).from(counter).prepare();
  return () => {
    const rows = select.all();
    const counts = new Map(rows.map(({ name, count }) => [name, count]));
    return {
      of: (name) => counts.get(name) ?? 0,
      uses: rows.reduce((total, { name, count }) => (name.startsWith("use_") ? total + count : total), 0),
    };
  };
}
