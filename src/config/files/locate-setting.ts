import { basename } from "node:path";
import { assertLicetError } from "../../errors.ts";
import type { Config } from "../config.ts";
import type { ConfigFileContents, ConfigPath } from "../config-problem.ts";
import { readConfigFile } from "./read-config-file.ts";

/** Formats whose keys have lines. A module is not run a second time. */
const HAS_LINES = /\.(?:ya?ml|jsonc?)$/;

/**
 * The place of a setting for a message, such as `licet.config.yaml:24`. It is the file alone where there are no lines, and null for a
 * configuration that was given as an object.
 */
export async function locateSetting(config: Pick<Config, "file">, path: ConfigPath): Promise<string | null> {
  const [place = null] = await locateSettings(config, [path]);
  return place;
}

/** The place of each setting. The file is read once. */
export async function locateSettings(
  { file }: Pick<Config, "file">,
  paths: readonly ConfigPath[],
): Promise<readonly (string | null)[]> {
  if (file === null || paths.length === 0) {
    return paths.map(() => null);
  }
  const label = basename(file);
  const contents = HAS_LINES.test(file) ? await readAgain(file, label) : null;
  return paths.map((path) => {
    const place = contents?.locate(path) ?? null;
    return place === null ? label : `${label}:${place.line}`;
  });
}

/** Null when the file has changed since it was loaded, and cannot be read now. */
async function readAgain(file: string, label: string): Promise<ConfigFileContents | null> {
  try {
    return await readConfigFile(file, label, {});
  } catch (error) {
    assertLicetError(error);
    return null;
  }
}
