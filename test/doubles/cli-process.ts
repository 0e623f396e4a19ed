/** Runs the command line as the shell of a user would: the program of the package. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const MAIN = fileURLToPath(new URL("../../lib/licet.js", import.meta.url));

/** Shorter than the timeout of a test, which could not say what its processes printed. */
const PATIENCE_MS = 150_000;

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Null: standard input stays open, and the test writes to it. */
  readonly input?: string | null;
  /** A shell command that is run before, such as `ulimit -f 1000`. */
  readonly limit?: string;
  /** Another user of the machine, for root alone. */
  readonly uid?: number;
  /** @default the program of the package */
  readonly main?: string;
}

export interface RunningCli {
  readonly child: ChildProcess;
  readonly result: Promise<CliResult>;
  /** Resolves when stdout or stderr matches. Rejects with what it printed when the process ends without, or says nothing of the kind for minutes. */
  waitFor(pattern: RegExp): Promise<string>;
}

/** Nothing of the machine's environment but what a process needs: a variable that happens to be set must not decide a test. */
const BARE_ENV = { PATH: process.env.PATH ?? "", HOME: tmpdir() };

export function startCli(
  args: readonly string[],
  { cwd, env = {}, input, limit, uid, main = MAIN }: CliOptions,
): RunningCli {
  const command = [process.execPath, main, ...args];
  const [file = "", ...rest] = limit === undefined ? command : ["sh", "-c", `${limit}; exec "$@"`, "sh", ...command];
  const child = spawn(file, rest, { cwd, env: { ...BARE_ENV, ...env }, ...(uid === undefined ? {} : { uid }) });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  // A command that does not read its input closes it.
  child.stdin.on("error", () => undefined);
  if (input !== null) {
    child.stdin.end(input ?? "");
  }
  const result = once(child, "close").then(([code, signal]) => ({ code, signal, stdout, stderr }) as CliResult);
  return {
    child,
    result,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(stdout) ?? pattern.exec(stderr);
          if (match !== null) {
            resolve(match[0]);
          }
        };
        child.stdout.on("data", look);
        child.stderr.on("data", look);
        const giveUp = (why: string) => reject(new Error(`${why} ${pattern}:\n${stdout}\n${stderr}`));
        result.then(() => giveUp("ended without"));
        setTimeout(giveUp, PATIENCE_MS, "did not print").unref();
        look();
      }),
  };
}

export function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  return startCli(args, options).result;
}

/** A directory that goes away. */
export async function createDirectory(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "licet-cli-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Everything of a configuration that a test does not say, for a gateway at `baseUrl`. */
export function cliConfig(baseUrl: string, own: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    gateway: {
      baseUrl,
      apiKey: "sandbox-key",
      agentId: "licet-demo",
      requestsPerSecond: null,
      timeoutMs: 5_000,
      ...(own.gateway as object),
    },
    budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
    policies: { standard: { rules: [{ allow: {} }] } },
    sites: [{ host: "news.example", policy: "standard" }],
    ...Object.fromEntries(Object.entries(own).filter(([key]) => key !== "gateway")),
  };
}

export async function writeConfig(directory: string, config: unknown): Promise<void> {
  await writeFile(join(directory, "licet.config.json"), JSON.stringify(config, null, 2));
}
