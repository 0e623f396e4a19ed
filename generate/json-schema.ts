import { z } from "zod";
import { configSchema } from "../src/config/schema/config-schema.ts";

/** A JSON Schema node, with the fields that the reference needs. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  /** The name of a format of texts. */
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
}

/** The JSON Schema of configuration files, as written (before defaults). */
export function toJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(configSchema, { io: "input" });
  return {
    ...schema,
    title: "licet configuration",
    description: "Configuration of licet, which crawls licensed pages through a content-licensing gateway.",
  } as JsonSchema;
}

/** `config/licet.schema.json` */
export function renderJsonSchema(): string {
  return `${JSON.stringify(forEditors(toJsonSchema()), null, 2)}\n`;
}

/** What a file may say beside what the schema of its values takes: an empty section, and `${ENV}` in place of a word. */
function forEditors(schema: JsonSchema): JsonSchema {
  const sections = Object.entries(schema.properties ?? {}).map(([name, section]) => {
    const written = allowVariables(section);
    // An empty section counts as left out (resolve-config.ts), unless there are keys that it must have.
    return [name, section.required === undefined ? orElse(written, { type: "null" }) : written];
  });
  return { ...schema, properties: Object.fromEntries(sections) };
}

function allowVariables(node: JsonSchema): JsonSchema {
  if (node.type === "string" && (node.enum !== undefined || node.const !== undefined)) {
    return orElse(node, { type: "string", pattern: "\\$\\{" });
  }
  const { properties, items, anyOf, additionalProperties } = node;
  return {
    ...node,
    ...(properties === undefined ? {} : { properties: mapValues(properties, allowVariables) }),
    ...(items === undefined ? {} : { items: allowVariables(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(allowVariables) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: allowVariables(additionalProperties) } : {}),
  };
}

/** What is said of the value stays with the whole. */
function orElse(node: JsonSchema, other: JsonSchema): JsonSchema {
  const { title, description, default: value, examples, ...rest } = node;
  const said = Object.entries({ title, description, default: value, examples }).filter(
    ([, text]) => text !== undefined,
  );
  return { ...Object.fromEntries(said), anyOf: [rest, other] };
}

function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
