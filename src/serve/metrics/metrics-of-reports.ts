/** Uses and their reports, and what a person has to look at. */
import { OPEN_ITEM_KINDS } from "../../ledger/usage-ledger.ts";
import type { MetricsDeps } from "./figures-cache.ts";
import { ageSeconds } from "./metrics-of-pages.ts";
import { addGauge, addSingleGauge } from "./sampled-metrics.ts";

export function addReportMetrics({ registry, figures, context }: MetricsDeps): void {
  const { clock } = context.resources;

  addGauge(registry, {
    name: "licet_uses",
    help: "Uses of content by the state of their report.",
    labelNames: ["state"],
    sample: () => Object.entries(figures.last()?.uses ?? {}).map(([state, value]) => ({ labels: { state }, value })),
  });
  addSingleGauge(
    registry,
    "licet_unreported_uses",
    "Uses whose report was not sent, or has no answer: the states pending and batched.",
    () => {
      const uses = figures.last()?.uses;
      return uses === undefined ? null : uses.pending + uses.batched;
    },
  );
  addSingleGauge(
    registry,
    "licet_unreported_oldest_age_seconds",
    "How long the oldest unreported use has waited. 0: there is none.",
    () => {
      const known = figures.last();
      return known === null ? null : ageSeconds(known.oldestUnreportedAt, clock.now());
    },
  );
  addGauge(registry, {
    name: "licet_open_items",
    help: "Items that a person has to look at, by kind (licet status).",
    labelNames: ["kind"],
    sample: () => {
      const known = figures.last();
      const counts = new Map(known?.openItems.map(({ kind, count }) => [kind, count]));
      return known === null ? [] : OPEN_ITEM_KINDS.map((kind) => ({ labels: { kind }, value: counts.get(kind) ?? 0 }));
    },
  });
  addGauge(registry, {
    name: "licet_alert_deliveries",
    help: "Deliveries of alerts that are pending, and that were given up among those of the newest 100 alerts.",
    labelNames: ["state"],
    sample: () => {
      const alerts = figures.last()?.alerts;
      return alerts === undefined
        ? []
        : [
            { labels: { state: "pending" }, value: alerts.pending },
            { labels: { state: "given_up" }, value: alerts.givenUp },
          ];
    },
  });
}
