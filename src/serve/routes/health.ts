import type { FastifyInstance } from "fastify";

/** `/healthz`: the process answers. */
export function addHealthRoutes(app: FastifyInstance): void {
  app.get("/healthz", async () => ({ status: "ok" }));
}
