/** Runs: those of this service are counted here, those that can be resumed are in the ledger. */
import { Counter } from "prom-client";
import { BATCH_STAGES } from "../../ledger/lease-ledger.ts";
import { RUN_TRIGGERS, type RunTrigger } from "../../ledger/run-ledger.ts";
import type { RunEnd } from "../runs/run-manager.ts";
import type { MetricsDeps } from "./figures-cache.ts";
import { addGauge } from "./sampled-metrics.ts";

const UNFINISHED = ["running", "interrupted", "failed"] as const;

export function addRunMetrics({ registry, figures, context }: MetricsDeps): void {
  const ended = new Counter({
    name: "licet_runs_ended_total",
    help: "Runs of this service that ended since it started, by the state in which they ended. A slot that failed before its run began counts as failed.",
    labelNames: ["trigger", "state"] as const,
    registers: [registry],
  });
  // A rate needs a zero before the first failure.
  for (const trigger of RUN_TRIGGERS) {
    ended.inc({ trigger, state: "failed" }, 0);
  }
  context.runs.onStart(({ trigger, ended: end }) => {
    void end.then((how) => {
      const state = toState(how);
      // Another process cancels it or goes on with it: it has not ended.
      if (state !== "running") {
        ended.inc({ trigger, state });
      }
    });
  });
  // Whoever asks for a run over HTTP is told. Nobody waits for the answer to a slot.
  context.runs.onFailedStart(({ trigger }) => {
    if (trigger === "schedule") {
      ended.inc({ trigger, state: "failed" });
    }
  });
  addGauge(registry, {
    name: "licet_runs_live",
    help: "Runs of this service that are at work.",
    labelNames: ["trigger"],
    sample: () => {
      const live = context.runs.live();
      const count = (trigger: RunTrigger) => live.filter((run) => run.trigger === trigger).length;
      return RUN_TRIGGERS.map((trigger) => ({ labels: { trigger }, value: count(trigger) }));
    },
  });
  addGauge(registry, {
    name: "licet_runs_unfinished",
    help: "Runs of the ledger that are running, or can be resumed, by state.",
    labelNames: ["state"],
    sample: () => {
      const known = figures.last();
      const counts = new Map<string, number>(known?.unfinishedRuns.map(({ state, count }) => [state, count]));
      return known === null ? [] : UNFINISHED.map((state) => ({ labels: { state }, value: counts.get(state) ?? 0 }));
    },
  });
  const batches: readonly [name: string, help: string, read: "count" | "size"][] = [
    ["licet_queue_batches", "Batches of work that running runs have, by stage.", "count"],
    ["licet_queue_pages", "Pages in the batches of work that running runs have, by stage.", "size"],
  ];
  for (const [name, help, read] of batches) {
    addGauge(registry, {
      name,
      help,
      labelNames: ["stage"],
      sample: () => {
        const known = figures.last();
        const values = new Map(known?.batches.map((batch) => [batch.stage, batch[read]]));
        return known === null
          ? []
          : BATCH_STAGES.map((stage) => ({ labels: { stage }, value: values.get(stage) ?? 0 }));
      },
    });
  }
}

function toState(end: RunEnd): string {
  return end.kind === "ended" ? end.report.state : "failed";
}
