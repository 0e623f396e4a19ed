import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Agent } from "../../src/agent/agent.ts";
import { createAgent } from "../../src/agent/create-agent.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";

/** `LICET_TEST_LEDGER=thread`: each run works with its ledger in a thread. */
const IN_THREAD = process.env.LICET_TEST_LEDGER === "thread" ? { thread: true } : {};

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A configuration file's content, without what the world fills in. */
export type ConfigFile = { [key: string]: Json };

export interface WorldOptions {
  readonly sandbox: SandboxOptions;
  readonly config: ConfigFile;
  /** @default "embedded" */
  readonly queueUrl?: string;
}

/** A sandbox gateway, a configuration that points at it, and a ledger of its own, in a directory that goes away. */
export interface CrawlWorld {
  readonly sandbox: Sandbox;
  readonly directory: string;
  readonly configFile: string;
  readonly ledgerFile: string;
  /** A fresh agent over the same ledger: as a new process would make one. */
  openAgent(): Promise<Agent>;
  /** Replaces the configuration's own part. */
  configure(config: ConfigFile): Promise<void>;
  close(): Promise<void>;
}

export const ALLOW_ALL: ConfigFile = { standard: { rules: [{ allow: {} }] } };

export async function createCrawlWorld(options: WorldOptions): Promise<CrawlWorld> {
  const directory = await mkdtemp(join(tmpdir(), "licet-world-"));
  const sandbox = await startSandbox(options.sandbox);
  const configFile = join(directory, "licet.config.json");
  const ledgerFile = join(directory, "data", "licet.sqlite");
  const configure = (config: ConfigFile) =>
    writeFile(configFile, JSON.stringify(fillIn(config, sandbox.url, ledgerFile, options)));
  await configure(options.config);
  const agents: Agent[] = [];
  return {
    sandbox,
    directory,
    configFile,
    ledgerFile,
    configure,
    openAgent: async () => {
      const agent = createAgent(await loadConfig({ path: configFile, cwd: directory, env: {} }));
      agents.push(agent);
      return agent;
    },
    close: async () => {
      await Promise.all(agents.map((agent) => agent.close()));
      await sandbox.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function fillIn(config: ConfigFile, baseUrl: string, ledgerPath: string, options: WorldOptions): ConfigFile {
  const { gateway, ...rest } = config;
  return {
    gateway: {
      baseUrl,
      service: options.sandbox.service ?? "Service",
      apiKey: "sandbox-key",
      agentId: "licet-demo",
      userAgent: "licet-demo/1.0",
      requestsPerSecond: 10_000,
      timeoutMs: 2_000,
      ...(typeof gateway === "object" && gateway !== null && !Array.isArray(gateway) ? gateway : {}),
    },
    ledger: { path: ledgerPath, ...IN_THREAD },
    queue: { url: options.queueUrl ?? "embedded" },
    policies: ALLOW_ALL,
    ...rest,
  };
}

/** A purchase as its row says, read past licet's own code. */
export interface PurchaseRow {
  /** As it was bought: the gateway's own spelling, which need not be the page's. */
  readonly url: string;
  readonly state: string;
  readonly intent: string;
  readonly quoted: number;
  readonly charged: number | null;
  readonly currency: string | null;
  readonly reservedAt: number;
  readonly reason: string | null;
}

export function readPurchases(ledgerFile: string): PurchaseRow[] {
  const database = new Database(ledgerFile, { readonly: true });
  try {
    return database
      .prepare(
        `SELECT url, state, intent, quoted_micros AS quoted, charged_micros AS charged, coalesce(charged_currency, currency) AS currency, reserved_at AS reservedAt, reason
         FROM purchase ORDER BY id`,
      )
      .all() as PurchaseRow[];
  } finally {
    database.close();
  }
}
