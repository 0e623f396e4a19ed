/** Schedules, notifications, and the service itself. */
import { listSchedules } from "../../agent/reports/configured-schedules.ts";
import { SLOT_STATES } from "../../ledger/schedule-ledger.ts";
import { nextSlots } from "../../schedule/slot.ts";
import { DEPENDENCIES } from "../process/readiness.ts";
import { DELIVERY_OUTCOMES, NO_WEBHOOK } from "../webhooks/delivery-outcomes.ts";
import type { MetricsDeps } from "./figures-cache.ts";
import { ageSeconds } from "./metrics-of-pages.ts";
import { addCounter, addGauge, addSingleGauge } from "./sampled-metrics.ts";

const MS_PER_SECOND = 1000;

export function addServiceFigures(deps: MetricsDeps): void {
  addNotifications(deps);
  addSchedules(deps);
  addLease(deps);
}

function addNotifications({ registry, figures, context }: MetricsDeps): void {
  const { config, deliveries, resources } = context;
  const startedAt = resources.clock.now();
  addCounter(registry, {
    name: "licet_webhook_deliveries_total",
    help: "Webhook deliveries since the service started, by what came of them (docs/vocabulary.md).",
    labelNames: ["webhook", "outcome"],
    sample: () =>
      [...deliveries.counts()].flatMap(([webhook, counts]) =>
        // What comes to no webhook has one outcome.
        DELIVERY_OUTCOMES.filter((outcome) => webhook !== NO_WEBHOOK || outcome === "unknown_path").map((outcome) => ({
          labels: { webhook, outcome },
          value: counts[outcome],
        })),
      ),
  });
  addGauge(registry, {
    name: "licet_hints_waiting",
    help: "Notifications whose page is in no run yet.",
    labelNames: ["site"],
    sample: () => {
      const known = figures.last();
      const counts = new Map(known?.hints.map(({ host, count }) => [host, count]));
      return known === null
        ? []
        : config.sites.map(({ host: site }) => ({ labels: { site }, value: counts.get(site) ?? 0 }));
    },
  });
  addSingleGauge(
    registry,
    "licet_sweep_age_seconds",
    "How long ago the gateway's delivery records were last read to their end. Of readings that only failed, since the service started. Absent: none was tried, without webhooks, and where the gateway keeps no records.",
    () => {
      const sweep = figures.last()?.sweep ?? null;
      return sweep === null || config.webhooks.length === 0
        ? null
        : ageSeconds(sweep.completedAt ?? startedAt, resources.clock.now());
    },
  );
}

function addSchedules({ registry, figures, context }: MetricsDeps): void {
  const configured = listSchedules(context.config);
  const { clock } = context.resources;
  addGauge(registry, {
    name: "licet_schedule_overdue_seconds",
    help: "How long the oldest slot of a schedule that is due has not been begun, refused or missed. 0: none is due.",
    labelNames: ["schedule"],
    sample: () => {
      const known = new Map(figures.last()?.schedules.map((schedule) => [schedule.name, schedule]));
      return configured.flatMap(({ name, times }) => {
        const recorded = known.get(name);
        if (recorded === undefined) {
          return [];
        }
        const owedAfter = Math.max(recorded.since, recorded.newest?.slotAt ?? recorded.since);
        const [due] = nextSlots(times, owedAfter, 1);
        return [{ labels: { schedule: name }, value: ageSeconds(due ?? null, clock.now()) }];
      });
    },
  });
  addGauge(registry, {
    name: "licet_slots",
    help: "Kept slots of a schedule by state (docs/vocabulary.md).",
    labelNames: ["schedule", "state"],
    sample: () =>
      (figures.last()?.schedules ?? []).flatMap(({ name: schedule, slots }) => {
        const counts = new Map(slots.map(({ state, count }) => [state, count]));
        // A change needs a zero before the first failure.
        return SLOT_STATES.map((state) => ({ labels: { schedule, state }, value: counts.get(state) ?? 0 }));
      }),
  });
  addGauge(registry, {
    name: "licet_slots_ahead",
    help: "Rows of slots that lie ahead of the clock: it was ahead when they were recorded. 0: none.",
    labelNames: ["schedule"],
    sample: () =>
      (figures.last()?.schedules ?? []).map(({ name: schedule, ahead }) => ({ labels: { schedule }, value: ahead })),
  });
  addGauge(registry, {
    name: "licet_schedule_last_slot_timestamp_seconds",
    help: "When the newest slot of a schedule that has come was due.",
    labelNames: ["schedule"],
    sample: () =>
      (figures.last()?.schedules ?? []).flatMap(({ name: schedule, newest }) =>
        newest === null ? [] : [{ labels: { schedule }, value: newest.slotAt / MS_PER_SECOND }],
      ),
  });
  addGauge(registry, {
    name: "licet_schedule_lag_seconds",
    help: "How long after its time the newest slot of a schedule was begun.",
    labelNames: ["schedule"],
    sample: () =>
      (figures.last()?.schedules ?? []).flatMap(({ name: schedule, newest }) =>
        newest === null ? [] : [{ labels: { schedule }, value: ageSeconds(newest.slotAt, newest.claimedAt) }],
      ),
  });
}

function addLease({ registry, context }: MetricsDeps): void {
  const { lease, readiness, resources } = context;
  addSingleGauge(
    registry,
    "licet_service_lease_age_seconds",
    "How long ago the ledger confirmed the service's lease.",
    () => ageSeconds(lease.renewedAt(), resources.clock.now()),
  );
  addSingleGauge(
    registry,
    "licet_service_fence",
    "The fence of this service. It grows with each service of the ledger.",
    () => lease.fence,
  );
  addGauge(registry, {
    name: "licet_dependency_up",
    help: "Whether a dependency was reachable when it was last probed: 1 or 0, as in /readyz.",
    labelNames: ["dependency"],
    sample: () => {
      const known = new Map(readiness.last().map(({ name, ok }) => [name, ok]));
      return DEPENDENCIES.flatMap((dependency) =>
        known.has(dependency) ? [{ labels: { dependency }, value: known.get(dependency) === true ? 1 : 0 }] : [],
      );
    },
  });
}
