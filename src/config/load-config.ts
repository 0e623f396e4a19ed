/** The two ways to create a Config: from a file, or from an object in a program. */
import { existsSync } from "node:fs";
import { access, readdir } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { type Checks, checkOptions, isObject, isOneOf, isText } from "../check-options.ts";
import { LicetError } from "../errors.ts";
import type { Config } from "./config.ts";
import type { ConfigInput } from "./config-input.ts";
import { ENV_FILE_NAME, type Env, readEnvFile, unreadableEnvFile } from "./files/env-file.ts";
import { readConfigFile } from "./files/read-config-file.ts";
import { resolveConfig } from "./resolve-config.ts";

/** Tried in this order, in the directory where licet is started. */
export const CONFIG_FILE_NAMES = [
  "licet.config.yaml",
  "licet.config.yml",
  "licet.config.json",
  "licet.config.jsonc",
  "licet.config.ts",
  "licet.config.mts",
  "licet.config.js",
  "licet.config.mjs",
] as const;

/** Where to find a configuration, and the environment that fills it in. */
export interface LoadConfigOptions {
  /** A file, relative to `cwd`. Default: the first of CONFIG_FILE_NAMES that exists there. */
  readonly path?: string | undefined;
  /** Where `path` and `envFile` start. @default the working directory */
  readonly cwd?: string | undefined;
  /**
   * The source of `${NAME}`. What it does not have is looked up in `envFile`, then in the file `.env` beside the configuration file, if
   * there is one. @default the environment of the process
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** A file with lines `NAME=value`, relative to `cwd`. It must exist. */
  readonly envFile?: string | undefined;
  /**
   * What becomes of the secrets and addresses of gateway, queue, service, webhooks and alerts whose variables are not set: `refuse` throws
   * ENV_MISSING now, `later` lets whatever first needs one of them throw it. What only reads the ledger needs none. @default "refuse"
   */
  readonly unset?: "refuse" | "later" | undefined;
}

const CHECKS: Checks<LoadConfigOptions> = {
  path: isText,
  cwd: isText,
  env: (value) => (isObject(value) ? null : "must be an object of variables"),
  envFile: isText,
  unset: isOneOf(["refuse", "later"]),
};

/**
 * Reads, checks and resolves a configuration file. Relative paths in it start at the file.
 * @throws LicetError CONFIG_NOT_FOUND, CONFIG_INVALID (all problems in one message, each with file and line), ENV_MISSING;
 * USAGE_INVALID for wrong options
 */
export async function loadConfig(given: LoadConfigOptions = {}): Promise<Config> {
  const options = checkOptions("loadConfig", given, CHECKS);
  const { cwd = process.cwd() } = options;
  const named = options.envFile === undefined ? null : await readNamedEnvFile(resolve(cwd, options.envFile), cwd);
  const file = options.path === undefined ? await findConfigFile(cwd) : resolve(cwd, options.path);
  const label = toLabel(file, cwd);
  const envFiles = await readEnvFiles(join(dirname(file), ENV_FILE_NAME), named, cwd);
  const env = mergeEnvs([options.env ?? process.env, ...envFiles.map(({ variables }) => variables)]);
  const paths = envFiles.map((read) => read.file);
  const envHint = hintOfMissing(join(dirname(file), ENV_FILE_NAME), cwd, paths);
  const defersUnset = options.unset === "later";
  const { value, locate, isStatic } = await readConfigFile(file, label, env);
  const config = resolveConfig(value, {
    file,
    label,
    baseDir: dirname(file),
    env,
    envHint,
    defersUnset,
    locate,
    isStatic,
  });
  return { ...config, envFiles: paths };
}

/**
 * The variables for a command without a configuration: those of the process, and what it does not have of the named file.
 * @throws LicetError CONFIG_NOT_FOUND, CONFIG_INVALID
 */
export async function loadEnv({
  cwd,
  env,
  envFile,
}: {
  readonly cwd: string;
  readonly env: Env;
  readonly envFile: string | undefined;
}): Promise<Env> {
  const named = envFile === undefined ? null : await readNamedEnvFile(resolve(cwd, envFile), cwd);
  return named === null ? env : mergeEnvs([env, named.variables]);
}

interface ReadEnvFile {
  readonly file: string;
  readonly variables: Env;
}

async function readNamedEnvFile(file: string, cwd: string): Promise<ReadEnvFile> {
  const variables = await readEnvFile(file, toLabel(file, cwd));
  if (variables === null) {
    throw unreadableEnvFile(file, toLabel(file, cwd));
  }
  return { file, variables };
}

/** The named file, which takes precedence, and the one beside the configuration. */
async function readEnvFiles(beside: string, named: ReadEnvFile | null, cwd: string): Promise<readonly ReadEnvFile[]> {
  const variables = beside === named?.file ? null : await readEnvFile(beside, toLabel(beside, cwd));
  return [...(named === null ? [] : [named]), ...(variables === null ? [] : [{ file: beside, variables }])];
}

/** @param envs the first takes precedence */
function mergeEnvs(envs: readonly Env[]): Env {
  const entries = envs.toReversed().flatMap((env) => Object.entries(env).filter(([, value]) => value !== undefined));
  return Object.fromEntries(entries);
}

function hintOfMissing(beside: string, cwd: string, envFiles: readonly string[]): string {
  const label = toLabel(beside, cwd);
  const example = `${label}.example`;
  const copy = !envFiles.includes(beside) && existsSync(`${beside}.example`) ? ` (\`cp ${example} ${label}\`)` : "";
  return `Set it in the environment, in ${label}, which is read by itself${copy}, or in a file that you name: --env FILE`;
}

/**
 * Checks and resolves a configuration object of a program. Relative paths in it start at `cwd`.
 * @throws LicetError CONFIG_INVALID, ENV_MISSING
 */
export function parseConfig(input: ConfigInput, options: { readonly cwd: string; readonly env: Env }): Config {
  return resolveConfig(input, {
    file: null,
    label: "the configuration",
    baseDir: options.cwd,
    env: options.env,
    defersUnset: false,
    envHint: "Set the variable in the environment, or write the value.",
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
  const similar = (await readdir(cwd).catch(() => [])).find((name) => /^licet\.(?:config|conf|ya?ml|json)/i.test(name));
  throw new LicetError("CONFIG_NOT_FOUND", `there is no licet.config.yaml (or .json, .ts, .js) in ${cwd}`, {
    hint:
      similar === undefined
        ? "`licet init` writes one to start from; --config names one elsewhere."
        : `There is ${similar}, which is another name: rename it, or name it with --config. \`licet init\` writes a new one.`,
    details: { cwd },
  });
}

function toLabel(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") || isAbsolute(path) ? file : path;
}
