/** The HTTP interface. Each file in `routes` adds one group of routes. */
import fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import { toPrintedJson } from "../../printed-json.ts";
import type { ServiceContext } from "../service-part.ts";
import { createProblemPages } from "../web/problem-pages.ts";
import { addWebRoutes, createFrameContext } from "../web/web-routes.ts";
import { addAuth } from "./auth.ts";
import { ARRIVAL_LIMITS, addArrivalChecks, brokenRequestOptions } from "./broken-requests.ts";
import { createKeys } from "./keys.ts";
import { refuseWhileStopping } from "./listener.ts";
import { watchMethods } from "./methods.ts";
import { addProblems } from "./problem.ts";
import { createReaderLines } from "./reader-lines.ts";
import { addApiRoutes } from "./routes/api.ts";
import { addHealthRoutes } from "./routes/health.ts";
import { addLedgerRoutes } from "./routes/ledger.ts";
import { addMetricsRoutes } from "./routes/metrics.ts";
import { addMisdirectedDeliveries, addWebhookRoutes } from "./routes/webhooks.ts";
import { addSafetyHeaders } from "./safety-headers.ts";
import { boundUntakenAnswers, UNTAKEN_LIMITS } from "./untaken-answers.ts";

/** The largest body of any request, bytes. */
const MAX_BODY_BYTES = 1_048_576;

export async function createHttpServer(context: ServiceContext): Promise<FastifyInstance> {
  const { serve } = context.config;
  const app = fastify({
    logger: false,
    ...brokenRequestOptions(ARRIVAL_LIMITS),
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: toTrustedProxies(serve.trustProxy),
  });
  const keys = createKeys(context);
  app.setReplySerializer((answer) => toPrintedJson(answer));
  addSafetyHeaders(app);
  const frame = createFrameContext();
  const lineOf = createReaderLines();
  addProblems(app, context.log, createProblemPages(frame, context.resources.clock));
  addArrivalChecks(app, context.resources.clock, ARRIVAL_LIMITS);
  addMisdirectedDeliveries(app, context);
  addAuth(app, context, keys);
  boundUntakenAnswers(app, context.resources.clock, UNTAKEN_LIMITS);
  refuseWhileStopping(app, context.stopping);
  const refuseOtherMethods = watchMethods(app);
  addHealthRoutes(app, context);
  addMetricsRoutes(app, context);
  addWebhookRoutes(app, context);
  addApiRoutes(app, { ...context, lineOf });
  addLedgerRoutes(app, context);
  addWebRoutes(app, context, { frame, keys, lineOf });
  refuseOtherMethods();
  return app;
}

/**
 * `true` is one proxy: the address that it has added, the last of `X-Forwarded-For`. fastify's own `true` takes the first, which any client
 * can write.
 */
function toTrustedProxies(trustProxy: boolean | readonly string[]): NonNullable<FastifyServerOptions["trustProxy"]> {
  if (typeof trustProxy !== "boolean") {
    return [...trustProxy];
  }
  return trustProxy && ((_address, hop) => hop === 0);
}
