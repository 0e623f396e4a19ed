/** The HTTP interface. Each file in `routes` adds one group of routes. */
import fastify, { type FastifyInstance } from "fastify";
import { addAuth } from "./http-auth.ts";
import { BROKEN_REQUEST_OPTIONS } from "./http-broken-requests.ts";
import { refuseWhileStopping } from "./http-listener.ts";
import { watchMethods } from "./http-methods.ts";
import { addProblems } from "./http-problem.ts";
import { addSafetyHeaders } from "./http-safety-headers.ts";
import { addHealthRoutes } from "./routes/health.ts";
import type { ServiceContext } from "./service-part.ts";

/** The largest body of any request, bytes. */
const MAX_BODY_BYTES = 1_048_576;

export async function createHttpServer(context: ServiceContext): Promise<FastifyInstance> {
  const { serve } = context.config;
  const app = fastify({
    logger: false,
    ...BROKEN_REQUEST_OPTIONS,
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: typeof serve.trustProxy === "boolean" ? serve.trustProxy : [...serve.trustProxy],
  });
  addSafetyHeaders(app);
  addProblems(app, context.log);
  addAuth(app, context);
  refuseWhileStopping(app, context.stopping);
  const refuseOtherMethods = watchMethods(app);
  addHealthRoutes(app, context);
  refuseOtherMethods();
  return app;
}
