/** `/api/v1`: the interface for programs. Its files are in `serve/api`. */
import type { FastifyInstance } from "fastify";
import { documentRoutes } from "../../api/document-routes.ts";
import { eventRoutes } from "../../api/event-routes.ts";
import { fetchRoutes } from "../../api/fetch-routes.ts";
import { addOpenApi } from "../../api/openapi.ts";
import { checkRequestPart } from "../../api/request-check.ts";
import { resolutionRoutes } from "../../api/resolution-routes.ts";
import { runActionRoutes } from "../../api/run-action-routes.ts";
import { runRoutes } from "../../api/run-routes.ts";
import { statusRoutes } from "../../api/status-routes.ts";
import type { ServiceContext } from "../../service-part.ts";
import { unsupportedMediaType } from "../problem.ts";

export function addApiRoutes(root: FastifyInstance, context: ServiceContext): void {
  root.register(
    async (app) => {
      app.setValidatorCompiler(checkRequestPart);
      // The schemas of answers describe them. Tests hold the answers to them; a difference must not hide an answer from a person.
      app.setSerializerCompiler(() => (data) => JSON.stringify(data));
      takeJsonAlone(app);
      await addOpenApi(app);
      for (const routes of [
        runRoutes,
        runActionRoutes,
        eventRoutes,
        statusRoutes,
        documentRoutes,
        fetchRoutes,
        resolutionRoutes,
      ]) {
        await app.register(routes(context));
      }
    },
    { prefix: "/api/v1" },
  );
}

/** JSON is in UTF-8 (RFC 8259). fastify alone would read any charset as UTF-8, and a plain text too. */
function takeJsonAlone(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body: string, done) => {
    // Many clients name the type of a body that they do not send.
    if (body === "") {
      done(null, null);
      return;
    }
    parse(request, body, done);
  });
  app.addHook("onRequest", async ({ headers }) => {
    const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers["content-type"] ?? "")?.[1];
    if (charset !== undefined && charset.toLowerCase() !== "utf-8") {
      throw unsupportedMediaType();
    }
  });
}
