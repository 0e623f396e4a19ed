/** Answers methods that an address does not have, with the ones that it has. fastify alone would say that the address does not exist. */
import type { FastifyInstance } from "fastify";
import { LicetError } from "../../errors.ts";

/** Must be called before any route is added. Returns a function that must be called after all others. */
export function watchMethods(app: FastifyInstance): () => void {
  const byPath = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const known = byPath.get(url) ?? new Set();
    byPath.set(url, known);
    for (const one of [method].flat()) {
      known.add(one);
    }
  });
  return () => {
    // A plugin, so that it sees the routes of the plugins before it.
    app.register(async (scope) => {
      for (const [url, known] of [...byPath]) {
        refuseOthers(scope, url, [...known]);
      }
    });
  };
}

function refuseOthers(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  const others = app.supportedMethods.filter((method) => !allowed.includes(method));
  const refuse = async () => {
    throw new Error("refused before");
  };
  app.route({
    method: others,
    url,
    // Before the body is read: a wrong body does not matter here.
    onRequest: async (request, reply) => {
      reply.header("allow", allowed.join(", "));
      throw new LicetError("METHOD_NOT_ALLOWED", `${url} has no ${request.method}`, {
        hint: `Use ${allowed.join(" or ")}.`,
        details: { method: request.method, allowed },
      });
    },
    handler: refuse,
  });
}
