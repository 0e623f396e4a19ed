import type { FastifyInstance } from "fastify";
import { createServiceMetrics } from "../../metrics/service-metrics.ts";
import type { ServiceContext } from "../../service-part.ts";

/** `/metrics`: for Prometheus. On loopback it needs no token, elsewhere it does, because it says what was spent. */
export function addMetricsRoutes(app: FastifyInstance, context: ServiceContext): void {
  const metrics = createServiceMetrics(context);
  app.get("/metrics", async (_request, reply) => {
    reply.header("content-type", metrics.contentType);
    return metrics.render();
  });
}
