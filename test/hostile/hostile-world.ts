/**
 * Whole runs against a hostile gateway: real HTTP through the real client, a real ledger in a directory of its own, the
 * stages as the agent composes them. Only the queue is in memory, and the waits between repetitions are not waited for.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { FlushReport, UseInput, UseOptions, UseReport } from "../../src/agent/agent.ts";
import { createResources, type Resources } from "../../src/agent/compose.ts";
import { EventBus } from "../../src/agent/events/events.ts";
import { auditAgent, statusAgent } from "../../src/agent/reports/status-agent.ts";
import { runAgent } from "../../src/agent/runs/run-agent.ts";
import type { RunReport } from "../../src/agent/runs/run-report.ts";
import { TUNING } from "../../src/agent/tuning.ts";
import { reportAgent } from "../../src/agent/usage/report-agent.ts";
import { useAgent } from "../../src/agent/usage/use-agent.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { isLicetError } from "../../src/errors.ts";
import { GatewayClient } from "../../src/gateway/gateway-client.ts";
import type { Queue } from "../../src/queue/queue.ts";
import { type Clock, systemClock } from "../../src/time/clock.ts";
import { MemoryQueue } from "../doubles/memory-queue.ts";
import { copyNewLedger } from "../doubles/new-ledger.ts";
import { openSpelledOut } from "../doubles/spelled-out.ts";
import { type HostileGateway, startHostileGateway } from "./hostile-gateway.ts";

export const HOST = "news.example";
/** Looks like no other text, so that it is found wherever it leaks. */
export const API_KEY = "canary-key-5f0c1d9e7b3a42688d21";

export function pageUrls(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `https://${HOST}/p/${index}`);
}

/** For the gateway client: the machine's clock, on which no wait between repetitions is longer than a moment. */
const hurriedClock: Clock = {
  now: systemClock.now,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 1), signal),
};

/** The defaults, except the waits: a retry comes at once, and there are fewer retries. */
const HURRIED: Resources["tuning"] = {
  ...TUNING,
  dispatch: { ...TUNING.dispatch, idleMs: 5 },
  finalFlushAttempts: 3,
  pipeline: {
    ...TUNING.pipeline,
    batchAttempts: 3,
    batchBackoffMs: 1,
    probes: 3,
    probeBackoffMs: 1,
    maxProbeBackoffMs: 1,
    reportBackoffMs: 5,
    maxReportBackoffMs: 5,
  },
};

export interface WorldOptions {
  readonly pages: readonly string[];
  /** Sections of the configuration that differ. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly gateway?: Readonly<Record<string, unknown>>;
  /** @default the API key alone */
  readonly env?: Readonly<Record<string, string>>;
  /** @default one in memory */
  readonly queue?: Queue;
  /** @default the client's own */
  readonly maxAnswerBytes?: number;
}

/** What became of a page, read past licet's own code. */
export interface PageEnd {
  readonly state: string;
  readonly reason: string | null;
  readonly quoted: number;
  readonly charged: number | null;
  readonly currency: string | null;
}

export interface HostileWorld {
  readonly gateway: HostileGateway;
  readonly directory: string;
  readonly ledgerFile: string;
  /** A run to its end. A LicetError comes back as a value; anything else is thrown: a crash. */
  run(resume?: "newest"): Promise<RunReport | { readonly state: "refused"; readonly code: string }>;
  report(): Promise<FlushReport>;
  use(uses: readonly UseInput[], options?: UseOptions): Promise<UseReport>;
  /** Promises that the audit finds broken. */
  audit(): Promise<readonly string[]>;
  status(): ReturnType<typeof statusAgent>;
  query<Row>(sql: string): Row[];
  /** The newest purchase or denial of each page. */
  ends(): Map<string, PageEnd>;
  /** Writes a file into the directory. */
  write(name: string, text: string): Promise<void>;
  /** Closes the ledger, as the end of a process does. Nothing can be run after it. */
  closeLedger(): Promise<void>;
  close(): Promise<void>;
}

export async function createHostileWorld(options: WorldOptions): Promise<HostileWorld> {
  const directory = await mkdtemp(join(tmpdir(), "licet-hostile-"));
  const gateway = await startHostileGateway(options.pages);
  const ledgerFile = join(directory, "data", "licet.sqlite");
  // The migrations would take longer than most runs here; creating a ledger has tests of its own.
  await mkdir(dirname(ledgerFile));
  await copyNewLedger(ledgerFile);
  const path = join(directory, "licet.config.json");
  await writeFile(path, JSON.stringify(configFile(gateway.url, options)));
  const config = await loadConfig({ path, cwd: directory, env: options.env ?? { LICET_API_KEY: API_KEY } });
  const resources = hurry(createResources(config), options.maxAnswerBytes);
  const withQueue = (): Resources => ({ ...resources, queue: async () => options.queue ?? new MemoryQueue() });
  const query = <Row>(sql: string): Row[] => {
    const database = openSpelledOut(ledgerFile);
    try {
      return database.prepare<[], Row>(sql).all();
    } finally {
      database.close();
    }
  };
  return {
    gateway,
    directory,
    ledgerFile,
    run: async (resume) => {
      try {
        return await runAgent(withQueue(), new EventBus(), resume === undefined ? {} : { resume });
      } catch (error) {
        if (!isLicetError(error) || error.message === "") {
          throw error;
        }
        return { state: "refused", code: error.code };
      }
    },
    report: () => reportAgent(resources, new EventBus(), new AbortController().signal),
    use: (uses, own) => useAgent(resources, uses, own),
    audit: async () => (await auditAgent(resources)).violations.map(({ promise, detail }) => `${promise}: ${detail}`),
    status: () => statusAgent(resources),
    query,
    ends: () => new Map(query<PageEnd & { url: string }>(PAGE_ENDS).map(({ url, ...end }) => [url, end])),
    write: (name, text) => writeFile(join(directory, name), text),
    closeLedger: () => resources.close(),
    close: async () => {
      await resources.close();
      await gateway.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const PAGE_ENDS = `
  SELECT page.url, 'denied' AS state, reason, 0 AS quoted, NULL AS charged, NULL AS currency, at FROM denial JOIN page ON page.id = page_id
  UNION ALL
  SELECT page.url, state, reason, quoted_micros, charged_micros, coalesce(charged_currency, currency), reserved_at
  FROM purchase JOIN page ON page.id = page_id ORDER BY 7`;

function hurry(resources: Resources, maxAnswerBytes: number | undefined): Resources {
  let client: GatewayClient | null = null;
  const gateway = async () =>
    (client ??= new GatewayClient({ ...resources.config.gateway, clock: hurriedClock, maxAnswerBytes }));
  return {
    ...resources,
    tuning: HURRIED,
    gateway,
    close: async () => {
      await client?.close();
      await resources.close();
    },
  };
}

export function configFile(baseUrl: string, { config = {}, gateway = {} }: Pick<WorldOptions, "config" | "gateway">) {
  return {
    gateway: {
      baseUrl,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration's own way to name the environment
      apiKey: "${LICET_API_KEY}",
      agentId: "licet-hostile",
      requestsPerSecond: null,
      concurrency: 16,
      timeoutMs: 1_000,
      ...gateway,
    },
    budgets: [{ scope: "all", per: "month", limit: "1000 USD" }],
    policies: { standard: { rules: [{ allow: {} }] } },
    sites: [{ host: HOST, policy: "standard" }],
    ledger: { path: "./data/licet.sqlite" },
    queue: { url: "embedded" },
    ...config,
  };
}
