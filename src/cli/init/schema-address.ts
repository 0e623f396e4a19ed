import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";

/** Where the package keeps the schema. */
const IN_PACKAGE = join("config", "licet.schema.json");
const IN_PROJECT = join("node_modules", "licet", IN_PACKAGE);

/**
 * Where an editor finds the JSON Schema of a configuration in `dir`: in the project's own installation, which fits its licet, or else
 * in the package that runs (a clone around `dir`, a global installation).
 * @param packageDir of the licet that runs
 */
export function findSchemaAddress(dir: string, packageDir: string): string {
  for (let parent = dir; ; parent = dirname(parent)) {
    const candidates = [join(parent, IN_PROJECT), ...(parent === packageDir ? [join(parent, IN_PACKAGE)] : [])];
    const found = candidates.find((candidate) => existsSync(candidate));
    if (found !== undefined) {
      return toRelative(dir, found);
    }
    if (dirname(parent) === parent) {
      return pathToFileURL(join(packageDir, IN_PACKAGE)).href;
    }
  }
}

function toRelative(from: string, to: string): string {
  const path = relative(from, to).split(sep).join("/");
  return path.startsWith("../") ? path : `./${path}`;
}
