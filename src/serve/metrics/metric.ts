/** What a row of the metrics says, and how Prometheus's client gets it. */
import { Counter, Gauge, type Registry } from "prom-client";
import type { ServiceContext } from "../service-part.ts";

/** What values are made from when somebody asks. */
export interface Scrape {
  readonly context: ServiceContext;
  readonly now: number;
  /** When the service started. */
  readonly startedAt: number;
}

/** A value for each label, in the order of their names, and the number. */
export type Series = readonly [...labels: string[], value: number];

/** The present series: one that is not named is gone. One number is a series without labels, and null is none at all. */
export type Found = readonly Series[] | number | null;

/** A row a metric: its name with its labels as Prometheus writes them, its help, its value. A name that ends in `_total` is a counter. */
export type Metrics<Read> = Readonly<Record<`licet_${string}`, readonly [help: string, read: Read]>>;

export function addMetrics<Read>(
  registry: Registry,
  metrics: Metrics<Read>,
  ask: (read: Read) => Found | Promise<Found>,
): void {
  for (const [row, [help, read]] of Object.entries(metrics)) {
    const { name, labelNames } = readRow(row);
    addMetric({ name, help, labelNames, registers: [registry] }, async () => {
      const found = await ask(read);
      const series = typeof found === "number" ? [[found]] : (found ?? []);
      return series.map((one) => [
        Object.fromEntries(labelNames.map((label, index) => [label, String(one[index])])),
        Number(one.at(-1)),
      ]);
    });
  }
}

/** @param row such as `licet_pages_total{site,outcome}` */
export function readRow(row: string): { readonly name: string; readonly labelNames: string[] } {
  const [name = "", ...labelNames] = row.match(/\w+/g) ?? [];
  return { name, labelNames };
}

interface Options {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
  readonly registers: Registry[];
}

type Sample = readonly [labels: Record<string, string>, value: number];

function addMetric(options: Options, sample: () => Promise<readonly Sample[]>): void {
  if (options.name.endsWith("_total")) {
    new Counter({
      ...options,
      async collect() {
        const series = await sample();
        this.reset();
        for (const [labels, value] of series) {
          this.inc(labels, value);
        }
      },
    });
    return;
  }
  new Gauge({
    ...options,
    async collect() {
      const series = await sample();
      this.reset();
      if (options.labelNames.length === 0) {
        // A gauge without labels is 0 after a reset, and here nothing is known of it.
        this.remove();
      }
      for (const [labels, value] of series) {
        this.set(labels, value);
      }
    },
  });
}

const MS_PER_SECOND = 1000;

export function toSeconds(ms: number): number {
  return ms / MS_PER_SECOND;
}

/** The time since an instant in seconds, 0 without one. The clock may have been set back meanwhile. */
export function ageSeconds(at: number | null, now: number): number {
  return at === null ? 0 : toSeconds(Math.max(0, now - at));
}
