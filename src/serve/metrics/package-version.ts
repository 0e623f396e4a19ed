import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";

/** The version of licet, from the package that this file is in. */
export function readPackageVersion(): string {
  const manifest = findPackageJSON(import.meta.url);
  return manifest === undefined
    ? "unknown"
    : (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}
