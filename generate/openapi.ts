/** docs/openapi.json, made from the operations and from the types of their answers. */
import { z } from "zod";
import type { Operation } from "../src/serve/api/operation.ts";
import { OPERATIONS } from "../src/serve/api/operations.ts";
import { PROBLEM_TYPE } from "../src/serve/http/problem.ts";
import { type Named, type Types, withCompiler } from "./compiler.ts";
import { type JsonSchema, readSchemas } from "./type-schemas.ts";

/** Of the interface, not of licet. It changes only when a client has to change. */
const API_VERSION = "1";

const DESCRIPTION = `The HTTP interface of \`licet serve\` (docs/service.md). Amounts are whole micros (\`…Micros\`) of the \`currency\`
beside them, around them, or above or below them as a key. Instants are ISO 8601 in UTC. Answers may get new fields; ignore those that you do not know.`;

const TYPES = "src/serve/api/answers.ts";

/** What the options of a call mean, and what they are where nothing is said. */
type Meanings = Readonly<Record<string, Pick<JsonSchema, "description" | "default">>>;

/** The parts of a request that are parameters, in the words of OpenAPI. */
const PARAMETERS = { querystring: "query", params: "path", headers: "header" } as const;

/** The compiler runs in the working directory, which is that of the project. */
export function renderOpenApi(): string {
  const { schemas, meanings } = withCompiler((types, find) => ({
    schemas: readSchemas(types, find(TYPES, "Answers")),
    meanings: Object.fromEntries(
      types.fieldsOf(find("src/agent/agent.ts", "Agent")).map((call) => {
        const options = types.parametersOf(call).flatMap((parameter) => types.fieldsOf(parameter));
        return [call.name, Object.fromEntries(options.map((option) => [option.name, toMeaning(types, option)]))];
      }),
    ),
  }));
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of OPERATIONS) {
    const path = `/api/v1${operation.path.replaceAll(/:(\w+)/g, "{$1}")}`;
    const described = toOperation(operation, meanings[operation.call] ?? {});
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described };
  }
  const document = {
    openapi: "3.1.0",
    info: {
      title: "licet",
      version: API_VERSION,
      description: DESCRIPTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas,
    },
    paths,
    servers: [{ url: "http://127.0.0.1:8403", description: "The service, where it listens by default" }],
    // Reading needs the token or not: docs/service.md.
    security: [{ token: [] }, {}],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function toMeaning(types: Types, option: Named): Meanings[string] {
  const usual = types.tagOf(option, "default");
  // A default may be told in words: that of the configuration.
  const isValue = usual !== undefined && /^(?:true|false|\d+|"\w+")$/.test(usual);
  return { description: types.meaningOf(option), ...(isValue ? { default: JSON.parse(usual) } : {}) };
}

function toOperation(operation: Operation, meanings: Meanings): object {
  const { id, method, summary, description, asks, answer, status } = operation;
  const parameters = Object.entries(PARAMETERS).flatMap(([part, place]) =>
    toParameters(asks[part as keyof typeof PARAMETERS], place, meanings),
  );
  const body = asks.body === undefined ? null : toRequestSchema(asks.body, meanings);
  const answers =
    typeof answer === "string"
      ? { [status]: { description: summary, content: { "application/json": { schema: refer(answer) } } } }
      : answer;
  return {
    operationId: id,
    summary,
    description,
    requestBody:
      body === null ? undefined : { required: !("default" in body), content: { "application/json": { schema: body } } },
    parameters: parameters.length === 0 ? undefined : parameters,
    responses: {
      ...answers,
      default: {
        description: "The request is refused (4xx), or the service or the gateway cannot do it now (5xx).",
        content: { [PROBLEM_TYPE]: { schema: refer("Problem") } },
      },
    },
    security: method === "POST" ? [{ token: [] }] : undefined,
  };
}

function toParameters(schema: z.ZodObject | undefined, place: string, meanings: Meanings): object[] {
  const { properties = {}, required = [] } = schema === undefined ? {} : toRequestSchema(schema, meanings);
  return Object.entries(properties).map(([name, { description, ...value }]) => ({
    schema: value,
    in: place,
    name,
    required: required.includes(name),
    description,
  }));
}

/** @param meanings say what a value means that the schema does not describe */
function toRequestSchema(schema: z.ZodType, meanings: Meanings): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    // A number of an address is written in digits.
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "number" && jsonSchema.type === undefined) {
        jsonSchema.type = "integer";
      }
      // Every whole number is one that JavaScript counts exactly. Only narrower limits say something.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
        delete jsonSchema.maximum;
      }
    },
  });
  const fields = Object.entries((rest as JsonSchema).properties ?? {}).map(([name, field]) => {
    return [name, { ...meanings[name], ...field }];
  });
  return { ...(rest as JsonSchema), ...(fields.length === 0 ? {} : { properties: Object.fromEntries(fields) }) };
}

const refer = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
