import type { FastifyInstance } from "fastify";

/**
 * Headers of every answer, also of errors. What a browser gets from the service is data: it is not guessed to be a page, not kept, not
 * shown in a frame, and not read by pages of other origins. There is no CORS.
 */
export const SAFETY_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "x-frame-options": "DENY",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

/** Must be added before any route. */
export function addSafetyHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers(SAFETY_HEADERS);
  });
}
