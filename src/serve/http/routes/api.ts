/** `/api/v1`: the interface for programs. Its files are in `serve/api`. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { packageDirectory } from "../../../package-directory.ts";
import { type ApiContext, addOperation } from "../../api/operation.ts";
import { OPERATIONS } from "../../api/operations.ts";
import { checkRequestPart } from "../../api/request-check.ts";
import { unsupportedMediaType } from "../problem.ts";

export function addApiRoutes(root: FastifyInstance, context: ApiContext): void {
  root.register(
    async (app) => {
      app.setValidatorCompiler(checkRequestPart);
      takeJsonAlone(app);
      for (const operation of OPERATIONS) {
        addOperation(app, context, operation);
      }
      app.get("/openapi.json", (_request, reply) => {
        reply.type("application/json; charset=utf-8");
        return readFile(join(packageDirectory(), "docs", "openapi.json"));
      });
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
