/**
 * What `/metrics` tells. Each service has a registry of its own. What the ledger knows is read when somebody asks, and kept for a few
 * seconds. Labels are names of the configuration and words of licet: no URL, no run id, no text from the network.
 */
import { collectDefaultMetrics, Registry } from "prom-client";
import type { ServiceContext } from "../service-part.ts";
import { createFiguresCache } from "./figures-cache.ts";
import { addGatewayMetrics } from "./gateway-metrics.ts";
import { addBudgetMetrics } from "./metrics-of-budgets.ts";
import { addPageMetrics } from "./metrics-of-pages.ts";
import { addReportMetrics } from "./metrics-of-reports.ts";
import { addRunMetrics } from "./metrics-of-runs.ts";
import { addServiceFigures } from "./metrics-of-service.ts";
import { addProcessMetrics } from "./process-metrics.ts";

export interface ServiceMetrics {
  readonly contentType: string;
  /** The text that Prometheus reads. */
  render(): Promise<string>;
  /** The names and label names of all metrics, for the documents. */
  describe(): Promise<readonly { readonly name: string; readonly type: string; readonly help: string }[]>;
}

export function createServiceMetrics(context: ServiceContext): ServiceMetrics {
  const registry = new Registry();
  const figures = createFiguresCache(context);
  const metrics = { registry, figures, context };
  addProcessMetrics(metrics);
  addPageMetrics(metrics);
  addBudgetMetrics(metrics);
  addReportMetrics(metrics);
  addRunMetrics(metrics);
  addServiceFigures(metrics);
  addGatewayMetrics(metrics);
  collectDefaultMetrics({ register: registry });
  return {
    contentType: registry.contentType,
    render: async () => {
      // A dependency that does not answer must not delay the numbers: what is found is in the next answer.
      void context.readiness.read();
      await figures.refresh();
      return registry.metrics();
    },
    describe: async () =>
      (await registry.getMetricsAsJSON()).map(({ name, type, help }) => ({ name, type: String(type), help })),
  };
}
