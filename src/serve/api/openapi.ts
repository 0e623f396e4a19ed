/** The OpenAPI document, made from the schemas of the routes. docs/openapi.json is a copy of it, which a test compares. */
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { OpenAPIV3_1 } from "openapi-types";
import { z } from "zod";

/** Of the interface, not of licet. It changes only when a client has to change. */
const API_VERSION = "1";
/** fastify-type-provider-zod makes each named schema twice: as a request, with this ending, and as an answer. */
const REQUEST_ENDING = "Input";

const DESCRIPTION = `The HTTP interface of \`licet serve\` (docs/service.md). Amounts are whole micros with their currency. Instants are
milliseconds since 1970, and ISO 8601 in UTC where a field has the format \`date-time\` (statements and plans). Answers may get new fields; ignore those that you do not know.`;

const zodToJsonConfig: NonNullable<Parameters<typeof createJsonSchemaTransform>[0]["zodToJsonConfig"]> = {
  // An answer may get new fields. A request with an unknown key is refused: its object is strict.
  override: ({ zodSchema, jsonSchema }) => {
    if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined) {
      delete jsonSchema.additionalProperties;
    }
    // A record of fixed keys has these properties. Zod only names them as required.
    if (zodSchema instanceof z.ZodRecord && jsonSchema.required !== undefined) {
      jsonSchema.properties = Object.fromEntries(
        jsonSchema.required.map((key) => [key, jsonSchema.additionalProperties ?? {}]),
      );
      delete jsonSchema.propertyNames;
      delete jsonSchema.additionalProperties;
    }
    // Every whole number is one that JavaScript counts exactly. Only narrower limits say something.
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
      delete jsonSchema.minimum;
    }
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
      delete jsonSchema.maximum;
    }
  },
};
const nameSchemas = createJsonSchemaTransformObject({ zodToJsonConfig });

export async function addOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "licet",
        version: API_VERSION,
        description: DESCRIPTION,
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: "http://127.0.0.1:8403", description: "The service, where it listens by default" }],
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
      // Reading needs the token or not: docs/service.md.
      security: [{ token: [] }, {}],
    },
    transform: createJsonSchemaTransform({ zodToJsonConfig }),
    transformObject: (document) =>
      completeOperations(dropRequests(nameSchemas(document) as Partial<OpenAPIV3_1.Document>)),
  });
  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());
}

/** No named schema is part of a request. */
function dropRequests(document: Partial<OpenAPIV3_1.Document>): Partial<OpenAPIV3_1.Document> {
  const { components = {} } = document;
  const schemas = Object.fromEntries(
    Object.entries(components.schemas ?? {})
      .filter(([name]) => !name.endsWith(REQUEST_ENDING))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  return { ...document, components: { ...components, schemas } };
}

/** What @fastify/swagger cannot know: an answer without a description of its own is what the operation is for. */
function completeOperations(document: Partial<OpenAPIV3_1.Document>): Partial<OpenAPIV3_1.Document> {
  const paths = Object.values(document.paths ?? {});
  for (const action of paths.flatMap((path) => path?.post ?? [])) {
    action.security = [{ token: [] }];
  }
  const operations = paths.flatMap((path) => [path?.get, path?.post]);
  for (const operation of operations.filter((one) => one !== undefined)) {
    for (const response of Object.values(operation.responses ?? {})) {
      if (response !== undefined && "description" in response && response.description === "Default Response") {
        response.description = operation.summary ?? "";
      }
    }
    const body = operation.requestBody;
    if (body !== undefined && "content" in body) {
      const schema = body.content["application/json"]?.schema;
      body.required = schema === undefined || !("default" in schema);
    }
  }
  return document;
}
