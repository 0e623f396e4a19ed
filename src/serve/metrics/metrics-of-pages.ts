/** Pages and purchases. The totals come from the ledger: they count what every process did, and no restart sets them back. */
import type { LedgerFigures, TotalKind } from "../../ledger/ledger-figures.ts";
import { isTakenBack, PURCHASE_STATES } from "../../purchase/purchase.ts";
import type { MetricsDeps } from "./figures-cache.ts";
import { addCounter, addGauge, addSingleGauge, type Sample } from "./sampled-metrics.ts";

/** The outcomes of pages by the name of their count in the ledger. */
const OUTCOMES = {
  unchanged: "unchanged",
  excluded: "excluded",
  denied: "denied",
  acquired: "settled",
  failed: "released",
  in_doubt: "in_doubt",
} as const satisfies Readonly<Record<string, TotalKind>>;

const MS_PER_SECOND = 1000;

export function addPageMetrics({ registry, figures, context }: MetricsDeps): void {
  const hosts = context.config.sites.map(({ host }) => host);
  const { clock } = context.resources;

  addCounter(registry, {
    name: "licet_pages_seen_total",
    help: "Pages that runs saw in the catalogs and notifications of a site.",
    labelNames: ["site"],
    sample: () => {
      const totals = figures.last()?.totals;
      return totals === undefined ? [] : hosts.map((site) => ({ labels: { site }, value: sum(totals, "seen", site) }));
    },
  });
  addCounter(registry, {
    name: "licet_pages_total",
    help: "Pages by what came of them in a run. A page that a later run sees again counts again.",
    labelNames: ["site", "outcome"],
    sample: () => {
      const totals = figures.last()?.totals;
      return totals === undefined
        ? []
        : hosts.flatMap((site) =>
            Object.entries(OUTCOMES).map(([outcome, kind]) => {
              return { labels: { site, outcome }, value: sum(totals, kind, site) };
            }),
          );
    },
  });
  addCounter(registry, {
    name: "licet_pages_denied_total",
    help: "Pages that were not bought, by denial reason (docs/vocabulary.md), over all sites.",
    labelNames: ["reason"],
    sample: () => byReason(figures.last(), "denied"),
  });
  addCounter(registry, {
    name: "licet_purchases_released_total",
    help: "Purchases that were given up without a charge, by release reason (docs/vocabulary.md), over all sites.",
    labelNames: ["reason"],
    sample: () => byReason(figures.last(), "released"),
  });
  addGauge(registry, {
    name: "licet_purchases",
    help: "Purchases that are in each state now.",
    labelNames: ["state"],
    sample: () => {
      const purchases = figures.last()?.purchases;
      return purchases === undefined
        ? []
        : PURCHASE_STATES.map((state) => ({ labels: { state }, value: purchases[state] }));
    },
  });
  addSingleGauge(
    registry,
    "licet_in_doubt_oldest_age_seconds",
    "How long the oldest purchase in doubt has been in doubt. 0: there is none.",
    () => {
      const known = figures.last();
      return known === null ? null : ageSeconds(known.oldestDoubtAt, clock.now());
    },
  );
}

/** What was taken back has not failed: its page waits for its next purchase. */
function sum(totals: LedgerFigures["totals"], kind: TotalKind, host: string): number {
  return totals
    .filter((one) => one.kind === kind && one.host === host && !(kind === "released" && isTakenBack(one.reason)))
    .reduce((total, { count }) => total + count, 0);
}

function byReason(known: LedgerFigures | null, kind: TotalKind): Sample<"reason">[] {
  const counts = new Map<string, number>();
  for (const one of known?.totals ?? []) {
    if (one.kind === kind) {
      counts.set(one.reason, (counts.get(one.reason) ?? 0) + one.count);
    }
  }
  return [...counts].map(([reason, value]) => ({ labels: { reason }, value }));
}

/** The time since an instant in seconds, 0 without one. The clock may have been set back meanwhile. */
export function ageSeconds(at: number | null, now: number): number {
  return at === null ? 0 : Math.max(0, now - at) / MS_PER_SECOND;
}
