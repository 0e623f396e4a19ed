import { renderConfigReference } from "./config-reference.ts";
import { renderConfigType } from "./config-type.ts";
import { renderJsonSchema } from "./json-schema.ts";

/** What is made from the schema of the configuration, by its path from the package's root. */
export const CONFIG_FILES: Readonly<Record<string, () => string>> = {
  "config/licet.schema.json": renderJsonSchema,
  "docs/configuration.md": renderConfigReference,
  "src/config/config-input.ts": renderConfigType,
};
