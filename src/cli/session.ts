/** The environment of one command: the shared options, and functions to read, print and open. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import type { Agent } from "../agent/agent.ts";
import type { Config } from "../config/config.ts";
import { isLicetError, LicetError } from "../errors.ts";
import type { CliIo } from "./cli-io.ts";
import { plainText } from "./plain-text.ts";
import { toSafeJson } from "./safe-json.ts";

/**
 * These may be given before or after the command's name. The option is not named `--env-file`, because node reads that option
 * itself and fails when the file is missing.
 */
export interface GlobalOptions {
  readonly config?: string;
  readonly env?: string;
  readonly json?: boolean;
}

export interface Session {
  readonly io: CliIo;
  readonly json: boolean;
  /** `--config FILE` as given, for hints that repeat the command. Empty without it. */
  readonly configArgument: string;
  /** Prints the command's one result: the value for programs, or the text for people. */
  print(value: unknown, text: () => string): Promise<void>;
  loadConfig(): Promise<Config>;
  /** Opens an agent for the configuration and always closes it. */
  withAgent<Result>(work: (agent: Agent, config: Config) => Promise<Result>): Promise<Result>;
}

export function createSession(io: CliIo, options: GlobalOptions): Session {
  const json = options.json === true;
  const loadConfigFile = async (): Promise<Config> => {
    const { loadConfig } = await import("../config/load-config.ts");
    try {
      return await loadConfig({ path: options.config, cwd: io.cwd, env: await readEnv(io, options.env) });
    } catch (error) {
      throw isLicetError(error, "ENV_MISSING") ? withEnvFileHint(error) : error;
    }
  };
  return {
    io,
    json,
    configArgument: options.config === undefined ? "" : ` --config ${plainText(options.config)}`,
    print: (value, text) => io.stdout.write(json ? `${toSafeJson(value)}\n` : text()),
    loadConfig: loadConfigFile,
    withAgent: async (work) => {
      const config = await loadConfigFile();
      // Imported here and not at the top, so that a command without an agent (help, init) does not load SQLite and the queue.
      const { createAgent } = await import("../agent/create-agent.ts");
      const agent = createAgent(config);
      try {
        return await work(agent, config);
      } finally {
        await agent.close();
      }
    },
  };
}

function withEnvFileHint(error: LicetError<"ENV_MISSING">): LicetError {
  return new LicetError(error.code, error.message, {
    hint: "Set it in the environment, or name a file that contains it: --env .env",
    details: error.details,
    cause: error,
  });
}

/** Reads the environment and the file. A variable of the environment takes precedence. */
async function readEnv(io: CliIo, envFile: string | undefined): Promise<CliIo["env"]> {
  if (envFile === undefined) {
    return io.env;
  }
  const path = resolve(io.cwd, envFile);
  try {
    return { ...parseEnv(await readFile(path, "utf8")), ...io.env };
  } catch (error) {
    throw new LicetError("CONFIG_NOT_FOUND", `the environment file ${path} cannot be read`, {
      hint: "--env names a file with lines such as LICET_API_KEY=…",
      details: { path },
      cause: error,
    });
  }
}
