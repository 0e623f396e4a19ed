/** docs/configuration.md, generated from the JSON Schema so that it always matches the program. */
import { isDeepStrictEqual } from "node:util";
import { type JsonSchema, toJsonSchema } from "./json-schema.ts";

const INTRODUCTION = `# Configuration

<!-- Generated from the schema by \`npm run schema:generate\`. Do not edit. -->

licet reads \`licet.config.yaml\` (or \`.yml\`, \`.json\`, \`.jsonc\`, or \`.ts\`, \`.mts\`, \`.js\`, \`.mjs\` with
\`export default defineConfig({…})\`) in the directory where it is started; \`--config\` names another file. JSON may have comments and trailing
commas. Unknown keys are errors. \`licet check\` reports every problem with its line. In a module, the line is that of the key, if the name of
the key stands only once in the file, or else that of the section around it.

- **Environment**: \`\${NAME}\` in a text is filled in, and a missing variable is an error. \`$\${NAME}\` means the literal text
  \`\${NAME}\`. Keep the API key and webhook secrets out of the file in this way. A variable comes from the environment, or else from the file
  of \`--env\`, or else from \`.env\` beside the configuration file. An environment file has lines \`NAME=value\` and comments behind \`#\`; a
  value with \`#\` or line breaks stands in quotes. A line that licet cannot read is an error with its number. \`.env\` does not change
  \`process.env\` of a \`.ts\` or \`.js\` file: write \`"\${NAME}"\` there too.
- **Money**: a decimal amount and a currency, such as \`12.50 USD\`, with up to six decimals. The amount is exact.
- **Durations**: a whole number and a unit (\`ms\`, \`s\`, \`m\`, \`h\`, \`d\`), such as \`30d\`. Keys whose name ends in \`Ms\` also take a number
  of milliseconds: \`timeoutMs: 30000\` is \`timeoutMs: 30s\`.
- **Globs**: match the path of a page's URL, such as \`/news/**\`. \`*\` matches any characters of one segment (between two
  slashes), and \`?\` matches one of them. \`**\` alone between slashes matches any number of segments or none. \`{a,b}\` matches one
  of its alternatives. \`/news/**\` also matches \`/news\`, and \`/news/*\` also matches \`/news/world/\`. All other characters match
  themselves, in upper or lower case as written. Syntax of other globs (\`[a-z]\`, \`!(a)\`, \`(a|b)\`, \`\\*\`, \`{1..9}\`, \`a**\`) is an
  error. Write the escape of such a character in a path: \`/wiki/Mercury_%28planet%29\`.
- **Editors**: \`# yaml-language-server: $schema=./node_modules/licet/config/licet.schema.json\` in the first line of a YAML file, or
  \`"$schema": "./node_modules/licet/config/licet.schema.json"\` in a JSON file. \`licet init\` writes the address that fits its directory.
- **Examples**: [\`config/examples\`](../config/examples).

A gateway's name is part of its header names and of one path. For TollBit:

\`\`\`yaml
gateway:
  baseUrl: "\${LICET_GATEWAY_URL}"   # the address that the gateway's documentation gives
  service: Tollbit                  # TollbitKey, TollbitToken, Tollbit-Accept-Content, /tollbit/dev/v2/…
  apiKey: "\${LICET_API_KEY}"
  agentId: acme-agent               # the AgentID you registered
  userAgent: "acme-agent/1.0"       # must contain it
\`\`\`

A deployment with other names or paths needs \`gateway.headers\` and \`gateway.paths\`.
`;

interface Row {
  readonly path: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** The whole page. */
export function renderConfigReference(): string {
  const root = toJsonSchema();
  const sections = Object.entries(root.properties ?? {})
    .filter(([name]) => name !== "$schema")
    .map(([name, schema]) => renderSection(name, schema, root.required?.includes(name) ?? false));
  return [INTRODUCTION, ...sections].join("\n");
}

function renderSection(name: string, schema: JsonSchema, isRequired: boolean): string {
  const rows = listRows(name, schema);
  const table = rows.map(
    ({ path, schema: field, isRequired: required }) =>
      `| \`${path}\` | ${escapeCell(nameType(field))} | ${escapeCell(nameDefault(field, required))} | ${escapeCell(field.description ?? "")} |`,
  );
  return [
    `## \`${name}\`${isRequired ? " (required)" : ""}`,
    "",
    schema.description ?? "",
    "",
    "| key | type | default | meaning |",
    "|---|---|---|---|",
    ...table,
    "",
  ].join("\n");
}

/** Every key below a schema, depth first, with `[]` for list items and `<name>` for chosen names. */
function listRows(path: string, schema: JsonSchema): Row[] {
  const { items, additionalProperties } = schema;
  if (items?.properties !== undefined) {
    return listRows(`${path}[]`, items);
  }
  if (typeof additionalProperties === "object") {
    return listRows(`${path}.<name>`, additionalProperties);
  }
  const fields = Object.entries(schema.properties ?? {});
  return fields.flatMap(([name, field], index) => {
    const isRequired = schema.required?.includes(name) ?? false;
    const row = { path: `${path}.${name}`, schema: field, isRequired };
    const like = fields.slice(0, index).find(([, earlier]) => hasKeysOf(earlier, field));
    return [row, ...(like === undefined ? listRows(row.path, field) : [listLike(row.path, field, ...like)])];
  });
}

/** Whether a section repeats keys of an earlier one and has no other. */
function hasKeysOf({ properties: earlier }: JsonSchema, { properties: keys }: JsonSchema): boolean {
  const repeated = Object.entries(keys ?? {});
  return repeated.length > 0 && repeated.every(([key, one]) => isDeepStrictEqual(one, earlier?.[key]));
}

/** One row in place of those of the repeated keys. */
function listLike(path: string, section: JsonSchema, name: string, earlier: JsonSchema): Row {
  const missing = Object.keys(earlier.properties ?? {}).filter((key) => section.properties?.[key] === undefined);
  const without = missing.length === 0 ? "" : `, without ${missing.map((key) => `\`${key}\``).join(" ")}`;
  return { path: `${path}.…`, schema: { description: `The keys of \`${name}\`${without}.` }, isRequired: false };
}

function nameType(schema: JsonSchema): string {
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => `\`${value}\``).join(" · ");
  }
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map(nameType).join(" or ");
  }
  if (schema.type === "array") {
    return `list of ${schema.items === undefined ? "anything" : nameType(schema.items)}`;
  }
  if (schema.type === "string" && schema.title !== undefined) {
    return schema.title;
  }
  const names: Readonly<Record<string, string>> = { object: "section", string: "text", integer: "whole number" };
  return names[schema.type ?? ""] ?? schema.type ?? "";
}

function nameDefault(schema: JsonSchema, isRequired: boolean): string {
  if (isRequired) {
    return "required";
  }
  const isSection = schema.type === "object";
  return schema.default === undefined || isSection ? "" : `\`${JSON.stringify(schema.default)}\``;
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}
