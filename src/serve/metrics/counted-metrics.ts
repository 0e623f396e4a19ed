/** What this process has counted from events since it started: requests to the gateway, and ends of its runs. */
import { Counter, Histogram, type Registry } from "prom-client";
import type { RequestEvent } from "../../gateway/client-options.ts";
import { CALLS } from "../../gateway/repeatable.ts";
import { RUN_TRIGGERS } from "../../ledger/run-ledger.ts";
import type { ServiceContext } from "../service-part.ts";
import { readRow, toSeconds } from "./metric.ts";

/** As the rows of `Metrics`, without a value: events count them. */
export const COUNTED_METRICS = {
  "licet_gateway_requests_total{endpoint,status}":
    "Requests to the gateway by endpoint and HTTP status. The status is none where no answer came.",
  "licet_gateway_request_duration_seconds{endpoint,class}":
    "How long requests to the gateway took, by endpoint and class of the status. The class is none where no answer came.",
  "licet_runs_ended_total{trigger,state}":
    "Runs of this service that ended since it started, by the state in which they ended. A slot that failed before its run began counts as failed.",
} as const;

/** From a gateway on the same machine to the longest usual timeout. */
const DURATION_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** A gateway can answer with any number. Other statuses are counted by their class. */
const KNOWN_STATUSES = new Set([200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 413, 422, 429, 500, 502, 503, 504]);
/** With these a gateway refuses a key. */
const REFUSING_STATUSES = ["401", "403"];

export function countRequests(registry: Registry, { bus }: ServiceContext): void {
  const requests = new Counter({
    ...describe("licet_gateway_requests_total{endpoint,status}"),
    registers: [registry],
  });
  // An increase needs a zero before the first refusal of a key.
  for (const endpoint of CALLS) {
    for (const status of REFUSING_STATUSES) {
      requests.inc({ endpoint, status }, 0);
    }
  }
  const durations = new Histogram({
    ...describe("licet_gateway_request_duration_seconds{endpoint,class}"),
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  bus.on("gateway.request", ({ call, status, durationMs }) => {
    requests.inc({ endpoint: call, status: toStatus(status) });
    durations.observe({ endpoint: call, class: toClass(status) }, toSeconds(durationMs));
  });
}

export function countRuns(registry: Registry, { runs }: ServiceContext): void {
  const ended = new Counter({
    ...describe("licet_runs_ended_total{trigger,state}"),
    registers: [registry],
  });
  // A rate needs a zero before the first failure.
  for (const trigger of RUN_TRIGGERS) {
    ended.inc({ trigger, state: "failed" }, 0);
  }
  runs.onStart(({ trigger, ended: end }) => {
    void end.then((how) => {
      const state = how.kind === "ended" ? how.report.state : "failed";
      // Another process cancels it or goes on with it: it has not ended.
      if (state !== "running") {
        ended.inc({ trigger, state });
      }
    });
  });
  // Whoever asks for a run over HTTP is told. Nobody waits for the answer to a slot.
  runs.onFailedStart(({ trigger }) => {
    if (trigger === "schedule") {
      ended.inc({ trigger, state: "failed" });
    }
  });
}

function describe(row: keyof typeof COUNTED_METRICS): ReturnType<typeof readRow> & { readonly help: string } {
  return { ...readRow(row), help: COUNTED_METRICS[row] };
}

function toStatus(status: RequestEvent["status"]): string {
  return status !== null && KNOWN_STATUSES.has(status) ? String(status) : toClass(status);
}

function toClass(status: RequestEvent["status"]): string {
  return status === null ? "none" : `${String(status).slice(0, 1)}xx`;
}
