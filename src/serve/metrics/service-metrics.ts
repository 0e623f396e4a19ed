/**
 * What `/metrics` tells. Each service has a registry of its own. What the ledger knows is read when somebody asks, and kept for a few
 * seconds. Labels are names of the configuration, names of workers that came with a token, and words of licet: no URL, no run id, no other text from the network.
 */
import { collectDefaultMetrics, Registry } from "prom-client";
import type { ServiceContext } from "../service-part.ts";
import { countRequests, countRuns } from "./counted-metrics.ts";
import { createFiguresCache } from "./figures-cache.ts";
import { LEDGER_METRICS } from "./ledger-metrics.ts";
import { addMetrics } from "./metric.ts";
import { PROCESS_METRICS } from "./process-metrics.ts";
import { WORKER_METRICS } from "./worker-metrics.ts";

export interface ServiceMetrics {
  readonly contentType: string;
  /** The text that Prometheus reads. */
  render(): Promise<string>;
}

export function createServiceMetrics(context: ServiceContext): ServiceMetrics {
  const registry = new Registry();
  const figures = createFiguresCache(context);
  const { clock } = context.resources;
  const startedAt = clock.now();
  const scrape = () => ({ context, now: clock.now(), startedAt });
  addMetrics(registry, PROCESS_METRICS, (read) => read({ ...scrape(), isLedgerReadable: figures.last() !== null }));
  addMetrics(registry, WORKER_METRICS, (read) => read(context.workers.list(), scrape()));
  addMetrics(registry, LEDGER_METRICS, (read) => {
    const known = figures.last();
    return known === null ? null : read(known, scrape());
  });
  countRuns(registry, context);
  countRequests(registry, context);
  collectDefaultMetrics({ register: registry });
  return {
    contentType: registry.contentType,
    render: async () => {
      // A dependency that does not answer must not delay the numbers: what is found is in the next answer.
      void context.readiness.read();
      await figures.refresh();
      return registry.metrics();
    },
  };
}
