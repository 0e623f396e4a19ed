/**
 * `src/config/config-input.ts`, generated from the JSON Schema: the type of a configuration in a program, with the meaning and the default
 * of each key as its comment, for editors. A type that zod infers has no comments.
 */
import { type JsonSchema, toJsonSchema } from "./json-schema.ts";

const LINE_WIDTH = 120;
const HEADER = `// Generated from the schema by \`npm run schema:generate\`. Do not edit.

/** A configuration as it is written: in a file, or in a program for \`defineConfig\` and \`createAgent\`. */
`;

export function renderConfigType(): string {
  return `${HEADER}export interface ConfigInput ${toType(toJsonSchema(), "")}\n`;
}

function toType(schema: JsonSchema, indent: string): string {
  const { anyOf, items, additionalProperties, properties } = schema;
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  }
  if (schema.const !== undefined) {
    return JSON.stringify(schema.const);
  }
  if (anyOf !== undefined) {
    return [...new Set(anyOf.map((one) => toType(one, indent)))].join(" | ");
  }
  if (schema.type === "array") {
    const item = toType(items ?? {}, indent);
    return / \| /.test(item.replace(/\{[\s\S]*\}/, "{}")) ? `(${item})[]` : `${item}[]`;
  }
  if (typeof additionalProperties === "object") {
    return `{\n${indent}  [name: string]: ${toType(additionalProperties, `${indent}  `)};\n${indent}}`;
  }
  if (properties !== undefined) {
    return `{\n${toFields(schema, `${indent}  `)}${indent}}`;
  }
  const names: Readonly<Record<string, string>> = { integer: "number" };
  return names[schema.type ?? ""] ?? schema.type ?? "unknown";
}

function toFields({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  return Object.entries(properties)
    .map(([name, field]) => {
      const isOptional = !required.includes(name);
      const type = isOptional ? `${toType(field, indent)} | undefined` : toType(field, indent);
      return `${indent}${toComment(field)}\n${indent}${toField(`${name}${isOptional ? "?" : ""}`, type, indent)}\n`;
    })
    .join("");
}

function toField(name: string, type: string, indent: string): string {
  const line = `${name}: ${type};`;
  const isLong = !type.includes("\n") && indent.length + line.length > LINE_WIDTH;
  return isLong
    ? `${name}:${type
        .split(" | ")
        .map((one) => `\n${indent}  | ${one}`)
        .join("")};`
    : line;
}

/**
 * A default that is an empty section says nothing: the keys of the section have their own. Comments spell the noun
 * as in code, with an s; the descriptions are for documents.
 */
function toComment({ description = "", default: value }: JsonSchema): string {
  const isEmpty = value === undefined || JSON.stringify(value) === "{}";
  const text = isEmpty ? description : `${description} @default ${JSON.stringify(value)}`;
  return `/** ${text.replaceAll("*/", "*\\/").replaceAll(/\b([Ll])icence/g, "$1icense")} */`;
}
