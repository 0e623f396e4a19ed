import { z } from "zod";
import { configSchema } from "../schema/config-schema.ts";

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
  return `${JSON.stringify(toJsonSchema(), null, 2)}\n`;
}
