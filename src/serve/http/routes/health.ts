import type { FastifyInstance } from "fastify";
import type { ServiceContext } from "../../service-part.ts";

/**
 * `/healthz`: the process answers. `/readyz`: ledger, queue and gateway are reachable and the clock lets runs begin, each with its detail and since when. Both need no
 * token and tell nothing of what was bought.
 */
export function addHealthRoutes(app: FastifyInstance, { readiness, stopping }: ServiceContext): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    // A service that stops must not wait for a probe.
    const states = stopping.aborted ? readiness.last() : await readiness.read();
    const isReady = !stopping.aborted && states.every(({ ok }) => ok);
    reply.code(isReady ? 200 : 503).header("cache-control", "no-store");
    return {
      status: stopping.aborted ? "stopping" : isReady ? "ready" : "not_ready",
      checks: Object.fromEntries(
        states.map(({ name, ok, detail, code, since, checkedAt }) => [
          name,
          {
            ok,
            detail,
            ...(ok ? {} : { code }),
            since: new Date(since).toISOString(),
            checkedAt: new Date(checkedAt).toISOString(),
          },
        ]),
      ),
    };
  });
}
