/** Requests to the gateway, from the events of its client: those of this process since it started. */
import { Counter, Histogram } from "prom-client";
import type { RequestEvent } from "../../gateway/client-options.ts";
import { CALLS } from "../../gateway/repeatable.ts";
import type { MetricsDeps } from "./figures-cache.ts";

const MS_PER_SECOND = 1000;
/** From a gateway on the same machine to the longest usual timeout. */
const DURATION_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** A gateway can answer with any number. Other statuses are counted by their class. */
const KNOWN_STATUSES = new Set([200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 413, 422, 429, 500, 502, 503, 504]);
/** With these a gateway refuses a key. */
const REFUSING_STATUSES = ["401", "403"];

export function addGatewayMetrics({ registry, context }: MetricsDeps): void {
  const requests = new Counter({
    name: "licet_gateway_requests_total",
    help: "Requests to the gateway by endpoint and HTTP status. The status is none where no answer came.",
    labelNames: ["endpoint", "status"] as const,
    registers: [registry],
  });
  // An increase needs a zero before the first refusal of a key.
  for (const endpoint of CALLS) {
    for (const status of REFUSING_STATUSES) {
      requests.inc({ endpoint, status }, 0);
    }
  }
  const durations = new Histogram({
    name: "licet_gateway_request_duration_seconds",
    help: "How long requests to the gateway took, by endpoint and class of the status. The class is none where no answer came.",
    labelNames: ["endpoint", "class"] as const,
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  context.bus.on("gateway.request", ({ call, status, durationMs }) => {
    requests.inc({ endpoint: call, status: toStatus(status) });
    durations.observe({ endpoint: call, class: toClass(status) }, durationMs / MS_PER_SECOND);
  });
}

function toStatus(status: RequestEvent["status"]): string {
  return status !== null && KNOWN_STATUSES.has(status) ? String(status) : toClass(status);
}

function toClass(status: RequestEvent["status"]): string {
  return status === null ? "none" : `${String(status).slice(0, 1)}xx`;
}
