/** A sandbox in this process, a directory with a configuration for it, and the command line over both: in this process, or in its own. */
import { join } from "node:path";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { type CliEnd, cliHere } from "./cli-here.ts";
import { type CliResult, cliConfig, createDirectory, type RunningCli, startCli, writeConfig } from "./cli-process.ts";

export interface CliWorld {
  readonly sandbox: Sandbox;
  readonly directory: string;
  readonly ledgerFile: string;
  configure(own: Readonly<Record<string, unknown>>): Promise<void>;
  /** A process of its own, for tests of what only a process does or suffers. */
  start(...args: string[]): RunningCli;
  /** As another user of the machine. Only root can. */
  startAs(uid: number, ...args: string[]): RunningCli;
  /** In this process. */
  cli(...args: string[]): Promise<CliEnd>;
  /** In this process with `--json`, and what it printed. */
  json(...args: string[]): Promise<{ readonly code: number; readonly value: unknown; readonly stderr: string }>;
  /** With `--json`, in a shell that sets a limit before, such as `ulimit -f 1000`. */
  limited(limit: string, ...args: string[]): Promise<CliResult>;
  /** Ends the processes that are left, stops the sandbox, removes the directory. */
  close(): Promise<void>;
}

export const ONE_PRICE = { default: [{ license: "ON_DEMAND_LICENSE", price: "0.01 USD" }] };
export const PRICE_MICROS = 10_000;

/** `news.example` with some generated pages. */
export function newsSite(pages: number): SandboxOptions["sites"][number] {
  return { kind: "synthetic", host: "news.example", pages, bodyBytes: 500 };
}

export async function createCliWorld(
  options: SandboxOptions,
  own: Readonly<Record<string, unknown>> = {},
): Promise<CliWorld> {
  const directory = await createDirectory();
  const sandbox = await startSandbox(options);
  const configure = (part: Readonly<Record<string, unknown>>) =>
    writeConfig(directory.path, cliConfig(sandbox.url, part));
  await configure(own);
  const started: RunningCli[] = [];
  const startWith = (args: readonly string[], own: { readonly uid?: number }) => {
    const running = startCli(args, { cwd: directory.path, ...own });
    started.push(running);
    return running;
  };
  const cli = (...args: string[]) => cliHere(args, { cwd: directory.path });
  const start = (...args: string[]) => startWith(args, {});
  return {
    sandbox,
    directory: directory.path,
    ledgerFile: join(directory.path, "data", "licet.sqlite"),
    configure,
    start,
    startAs: (uid, ...args) => startWith(args, { uid }),
    cli,
    json: async (...args) => {
      const { code, stdout, stderr } = await cli(...args, "--json");
      return { code, value: JSON.parse(stdout) as unknown, stderr };
    },
    limited: (limit, ...args) => {
      const running = startCli([...args, "--json"], { cwd: directory.path, limit });
      started.push(running);
      return running.result;
    },
    close: async () => {
      for (const { child } of started) {
        child.kill("SIGKILL");
      }
      await Promise.all(started.map(({ result }) => result));
      await sandbox.close();
      await directory.remove();
    },
  };
}
