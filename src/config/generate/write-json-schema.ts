/**
 * Writes the files that are generated from the schema, below the current directory: config/licet.schema.json, docs/configuration.md and the
 * type of a configuration. Run by `npm run schema:generate`.
 */
import { realpathSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { renderConfigReference } from "./config-reference.ts";
import { renderConfigType } from "./config-type.ts";
import { renderJsonSchema } from "./json-schema.ts";

/** Generated files by their path from the package's root. */
export const GENERATED_FILES: Readonly<Record<string, () => string>> = {
  "config/licet.schema.json": renderJsonSchema,
  "docs/configuration.md": renderConfigReference,
  "src/config/config-input.ts": renderConfigType,
};

export async function writeGeneratedFiles(root: string): Promise<void> {
  for (const [path, render] of Object.entries(GENERATED_FILES)) {
    await writeFile(resolve(root, path), render());
  }
}

// Runs only when it is started as a program (also through links). An import does nothing.
const [, program] = process.argv;
if (program !== undefined && realpathSync(program) === fileURLToPath(import.meta.url)) {
  await writeGeneratedFiles(process.cwd());
}
