import { basename } from "node:path";
import { isLicetError } from "../errors.ts";
import type { Config } from "./config.ts";
import type { ConfigPath } from "./config-problem.ts";
import { readConfigFile } from "./read-config-file.ts";

/** Formats whose keys have lines. A module is not run a second time. */
const HAS_LINES = /\.(?:ya?ml|jsonc?)$/;

/**
 * The place of a setting for a message, such as `licet.config.yaml:24`. It is the file alone where there are no lines, and null for a
 * configuration that was given as an object.
 */
export async function locateSetting({ file }: Pick<Config, "file">, path: ConfigPath): Promise<string | null> {
  if (file === null) {
    return null;
  }
  const label = basename(file);
  if (!HAS_LINES.test(file)) {
    return label;
  }
  try {
    const place = (await readConfigFile(file, label, {})).locate(path);
    return place === null ? label : `${label}:${place.line}`;
  } catch (error) {
    // The file has changed since it was loaded.
    if (isLicetError(error)) {
      return label;
    }
    throw error;
  }
}
