/** Metrics whose values are read from elsewhere at each scrape. */
import { Counter, Gauge, type Registry } from "prom-client";

export interface Sample<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

export interface SampledMetric<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  /** The present values. A series that is not named is gone. */
  readonly sample: () => readonly Sample<Label>[];
}

/** A value that goes up and down. */
export function addGauge<Label extends string>(registry: Registry, metric: SampledMetric<Label>): void {
  new Gauge({
    ...toOptions(registry, metric),
    collect() {
      this.reset();
      if (metric.labelNames.length === 0) {
        // A gauge without labels is 0 after a reset, and here nothing is known of it.
        this.remove();
      }
      for (const { labels, value } of metric.sample()) {
        this.set(labels as Record<Label, string>, value);
      }
    },
  });
}

/** A value that only grows, kept by somebody else. */
export function addCounter<Label extends string>(registry: Registry, metric: SampledMetric<Label>): void {
  new Counter({
    ...toOptions(registry, metric),
    collect() {
      this.reset();
      for (const { labels, value } of metric.sample()) {
        this.inc(labels as Record<Label, string>, value);
      }
    },
  });
}

/** One gauge without labels. Null: it has no value now. */
export function addSingleGauge(registry: Registry, name: string, help: string, sample: () => number | null): void {
  addGauge(registry, { name, help, labelNames: [], sample: () => toSingle(sample()) });
}

function toSingle(value: number | null): Sample<never>[] {
  return value === null ? [] : [{ labels: {} as Record<never, string>, value }];
}

function toOptions<Label extends string>(registry: Registry, { name, help, labelNames }: SampledMetric<Label>) {
  return { name, help, labelNames: [...labelNames], registers: [registry] };
}
