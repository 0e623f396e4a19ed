/**
 * A sandbox with latency, a ledger on disk, and real licet processes over both. Each process can be told to kill itself. What comes after
 * the last one needs no process of its own: it finds the same file, and half a second earlier.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { expect } from "vitest";
import { TUNING } from "../../src/agent/tuning.ts";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { CliEnd } from "../doubles/cli-here.ts";
import { type CliResult, type RunningCli, startCli } from "../doubles/cli-process.ts";
import { createCliWorld } from "../doubles/cli-world.ts";
import { type Expected, findAccountProblems } from "./accounts.ts";
import type { CrashOrder } from "./crash-order.ts";

/** bundle-program.ts wrote it. */
const MAIN = fileURLToPath(new URL("../../dist/crash/licet.js", import.meta.url));
const PRELOAD = pathToFileURL(`${import.meta.dirname}/preload/preload.mjs`).href;
/** A killed flusher's lease keeps the next one waiting: ten seconds in the product, which a hundred kills cannot afford. */
const SHORT_LEASES = {
  flushLeaseMs: 600,
  leaseMs: 60_000,
  reportBackoffMs: 50,
  batchBackoffMs: 50,
  probeBackoffMs: 20,
};

// In this process as in the others (preload/preload.mjs).
Object.assign(TUNING.pipeline, SHORT_LEASES);

const POLL_MS = 20;
/** For a test that starts some twenty processes: half a minute of work, several on a machine that does other work too. */
export const CRASH_TIMEOUT_MS = 300_000;

interface CrashWorldOptions {
  readonly sandbox: SandboxOptions;
  readonly config: Readonly<Record<string, unknown>>;
}

interface CrawlOptions {
  /** `kill -9` from outside, so long after its start. */
  readonly killAfterMs?: number;
  /** A shell command before, such as `ulimit -f 1000`. */
  readonly shell?: string;
}

export interface CrashWorld {
  readonly sandbox: Sandbox;
  readonly directory: string;
  readonly ledgerFile: string;
  /** Real processes that met a signal so far. */
  readonly kills: { count: number };
  configure(own: Readonly<Record<string, unknown>>): Promise<void>;
  start(args: readonly string[], order?: CrashOrder, shell?: string): RunningCli;
  /** Starts `licet run`, or `licet run --resume` where a run is unfinished, and waits for its end. */
  crawl(order?: CrashOrder, options?: CrawlOptions): Promise<CliResult>;
  /** A command in this process. What it makes Node warn of is part of its `stderr`. */
  here(...args: string[]): Promise<CliEnd>;
  /** As `crawl`, in this process, with nothing in the way. */
  resume(): Promise<CliEnd>;
  /** Resumes once, and compares everything there is to compare. */
  settle(expected: Expected): Promise<CliEnd>;
  /** `licet audit` is clean, and the ledger agrees with the gateway's own account page by page. */
  expectMatchingAccounts(expected: Expected): Promise<void>;
  close(): Promise<void>;
}

export async function createCrashWorld({ sandbox: options, config }: CrashWorldOptions): Promise<CrashWorld> {
  const world = await createCliWorld(options, config);
  const started: RunningCli[] = [];
  const kills = { count: 0 };
  const start = (args: readonly string[], order: CrashOrder = {}, shell?: string) => {
    const env = {
      NODE_OPTIONS: `--import=${PRELOAD}`,
      LICET_TEST_ORDER: JSON.stringify({ ...order, limits: { ...SHORT_LEASES, ...order.limits } }),
    };
    const limit = shell === undefined ? {} : { limit: shell };
    const running = startCli(args, { cwd: world.directory, env, main: MAIN, ...limit });
    started.push(running);
    return running;
  };
  const crawl = async (order: CrashOrder = {}, { killAfterMs, shell }: CrawlOptions = {}) => {
    const running = start(crawlArguments(world.ledgerFile), order, shell);
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => running.child.kill("SIGKILL"), killAfterMs);
    const result = await running.result;
    clearTimeout(timer);
    kills.count += result.signal === "SIGKILL" ? 1 : 0;
    expect(findImpoliteness(result), result.stderr).toEqual([]);
    return result;
  };
  const here = async (...args: string[]) => {
    const warnings: string[] = [];
    const listener = (warning: Error) => warnings.push(`${warning.name}: ${warning.message}\n`);
    process.on("warning", listener);
    const { code, stdout, stderr } = await world.cli(...args);
    process.off("warning", listener);
    const end = { code, stdout, stderr: stderr + warnings.join("") };
    expect(findImpoliteness(end), end.stderr).toEqual([]);
    return end;
  };
  const resume = () => here(...crawlArguments(world.ledgerFile));
  const expectMatchingAccounts = async (expected: Expected) => {
    expect(await world.json("audit")).toMatchObject({ value: { ok: true, violations: [] } });
    expect(findAccountProblems(world.sandbox, world.ledgerFile, expected)).toEqual([]);
  };
  return {
    ...world,
    kills,
    start,
    crawl,
    here,
    resume,
    settle: async (expected) => {
      const result = await resume();
      await expectMatchingAccounts(expected);
      return result;
    },
    expectMatchingAccounts,
    close: async () => {
      for (const { child } of started) {
        child.kill("SIGKILL");
      }
      await Promise.all(started.map(({ result }) => result));
      await world.close();
    },
  };
}

/** As a person would: go on with what is unfinished, else begin. A process killed early leaves no run to go on with. */
function crawlArguments(ledgerFile: string): string[] {
  return hasUnfinishedRun(ledgerFile) ? ["run", "--resume"] : ["run"];
}

export function hasUnfinishedRun(ledgerFile: string): boolean {
  try {
    const database = new Database(ledgerFile, { readonly: true });
    try {
      const count = database.prepare(
        "SELECT count(*) FROM run WHERE kind <> 'planning' AND state IN ('running', 'interrupted', 'failed')",
      );
      return count.pluck().get() !== 0;
    } finally {
      database.close();
    }
  } catch {
    // No file, or no tables in it yet.
    return false;
  }
}

/** What no process may ever print, however it ends: a stack trace, a warning of Node, an uncaught error. */
export function findImpoliteness({ stdout, stderr }: Pick<CliResult, "stdout" | "stderr">): string[] {
  const text = `${stdout}\n${stderr}`;
  return [/^\s+at .*:\d+/m, /Warning: /, /[Uu]nhandled/, /bug in licet/, /UnhandledPromise|node:internal/]
    .filter((pattern) => pattern.test(text))
    .map((pattern) => `${pattern}: ${text}`);
}

/** Waits until the kernel says that a process is stopped. */
export async function untilStopped(pid: number | undefined): Promise<void> {
  for (;;) {
    const state = /^State:\s+(\w)/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1];
    if (state === "T") {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
