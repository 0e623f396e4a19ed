/** The two ways to create a Config: from a file, or from an object in a program. */
import { access } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { LicetError } from "../errors.ts";
import type { Config } from "./config.ts";
import type { ConfigInput } from "./config-schema.ts";
import { readConfigFile } from "./read-config-file.ts";
import { resolveConfig } from "./resolve-config.ts";

/** Tried in this order, in the directory where licet is started. */
export const CONFIG_FILE_NAMES = [
  "licet.config.yaml",
  "licet.config.yml",
  "licet.config.json",
  "licet.config.ts",
  "licet.config.js",
  "licet.config.mjs",
] as const;

/** Where to find a configuration, and the environment that fills it in. */
export interface LoadConfigOptions {
  /** A file, relative to `cwd`. Default: the first of CONFIG_FILE_NAMES that exists there. */
  readonly path?: string | undefined;
  readonly cwd: string;
  /** The source of `${NAME}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads, checks and resolves a configuration file. Relative paths in it start at the file.
 * @throws LicetError CONFIG_NOT_FOUND, CONFIG_INVALID (all problems in one message, each with file and line), ENV_MISSING
 */
export async function loadConfig(options: LoadConfigOptions): Promise<Config> {
  const { cwd, env } = options;
  const file = options.path === undefined ? await findConfigFile(cwd) : resolve(cwd, options.path);
  const label = toLabel(file, cwd);
  const { value, locate, isStatic } = await readConfigFile(file, label, env);
  return resolveConfig(value, { file, label, baseDir: dirname(file), env, locate, isStatic });
}

/**
 * Checks and resolves a configuration object of a program. Relative paths in it start at `cwd`.
 * @throws LicetError CONFIG_INVALID, ENV_MISSING
 */
export function parseConfig(input: ConfigInput, options: Omit<LoadConfigOptions, "path">): Config {
  return resolveConfig(input, {
    file: null,
    label: "the configuration",
    baseDir: options.cwd,
    env: options.env,
    locate: () => null,
    isStatic: false,
  });
}

async function findConfigFile(cwd: string): Promise<string> {
  for (const name of CONFIG_FILE_NAMES) {
    const file = resolve(cwd, name);
    const exists = await access(file).then(
      () => true,
      () => false,
    );
    if (exists) {
      return file;
    }
  }
  throw new LicetError("CONFIG_NOT_FOUND", `there is no licet.config.yaml (or .json, .ts, .js) in ${cwd}`, {
    hint: "`licet init` writes one to start from; --config names one elsewhere.",
    details: { cwd },
  });
}

function toLabel(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") || isAbsolute(path) ? file : path;
}
