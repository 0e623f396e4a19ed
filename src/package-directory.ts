import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { assertBug } from "./errors.ts";

/** The directory of this licet, with its `package.json`: the same for the sources, for `dist` and for the package. */
export function packageDirectory(): string {
  const manifest = findPackageJSON(import.meta.url);
  assertBug(manifest !== undefined, "package.json is missing from this installation");
  return dirname(manifest);
}

/** The version of this licet. */
export function packageVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(join(packageDirectory(), "package.json"), "utf8"));
  return manifest.version;
}
