/**
 * The small world in which each operation fails once: a gateway with its own account behind a wire that can be spoiled, a
 * ledger that can fail, a queue in memory, a clock whose waits take no time. What runs in it is licet as `createAgent` puts
 * it together.
 */

import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UseInput } from "../../src/agent/agent.ts";
import type { Resources } from "../../src/agent/compose.ts";
import { EventBus } from "../../src/agent/events/events.ts";
import { auditAgent } from "../../src/agent/reports/status-agent.ts";
import { runAgent } from "../../src/agent/runs/run-agent.ts";
import type { RunReport } from "../../src/agent/runs/run-report.ts";
import { thisProcess } from "../../src/agent/this-process.ts";
import { TUNING, type Tuning } from "../../src/agent/tuning.ts";
import { reportAgent } from "../../src/agent/usage/report-agent.ts";
import { useAgent } from "../../src/agent/usage/use-agent.ts";
import { createWaits } from "../../src/agent/waits/waits.ts";
import type { Config } from "../../src/config/config.ts";
import type { ConfigInput } from "../../src/config/config-input.ts";
import { parseConfig } from "../../src/config/load-config.ts";
import { createIds } from "../../src/ids.ts";
import type { AuditReport } from "../../src/ledger/ledger-reports.ts";
import { openFileSpool } from "../../src/ledger/sqlite/engine/file-spool.ts";
import type { SiteSource } from "../../src/sandbox/options.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { MemoryQueue, SERVICE_QUEUES } from "../doubles/memory-queue.ts";
import { copyNewLedger } from "../doubles/new-ledger.ts";
import { NO_SNAPSHOTS } from "../doubles/no-snapshots.ts";
import { createLeapClock, type LeapClock } from "./clock.ts";
import { type Company, createCompany } from "./company.ts";
import type { FaultPoint } from "./fault.ts";
import { createWatchedClient, NO_WIRE_FAULT, startFaultyGateway, type WireFault } from "./gateway.ts";
import { type LedgerFaults, NO_LEDGER_FAULT, openFaultyLedger } from "./ledger.ts";
import type { WayFaults } from "./service-way.ts";
import { createTraffic, type Traffic } from "./traffic.ts";

/** What a world sells and how it is bought. */
export interface WorldPlan {
  readonly sites: readonly SiteSource[];
  readonly config: Omit<ConfigInput, "gateway">;
  /** As a real run has them. @default small ones, so that a small run has many */
  readonly hasLargeBatches?: true;
}

export interface WorldFaults {
  readonly ledger?: LedgerFaults;
  readonly wire?: { readonly fault: WireFault; readonly requests: FaultPoint };
  /** Runs have a worker on another machine beside them, and this is the way between them. */
  readonly way?: WayFaults;
}

export interface NthWorld {
  readonly sandbox: Sandbox;
  readonly ledgerFile: string;
  readonly clock: LeapClock;
  /** What the gateway got beyond its limits, as text. */
  checkTraffic(): readonly string[];
  /** Opens what a new process would open, works with it until the work has ended, and closes it. */
  inProcess<Result>(work: (licet: NthProcess) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** licet in one process. */
export interface NthProcess {
  run(options?: { readonly resume?: string }): Promise<RunReport>;
  use(uses: readonly UseInput[]): Promise<unknown>;
  report(): Promise<unknown>;
  audit(): Promise<AuditReport>;
  resolve(purchaseId: number, charged: boolean): Promise<unknown>;
}

/** Small batches, so that a small run has many of them; few repetitions where each may have to wait for a real timeout. */
const SMALL_BATCHES: Tuning = { ...TUNING, pipeline: { ...TUNING.pipeline, acquireBatchSize: 2 } };
const FEW_REPETITIONS: Tuning = {
  ...SMALL_BATCHES,
  finalFlushAttempts: 2,
  pipeline: { ...SMALL_BATCHES.pipeline, batchAttempts: 2, probes: 2 },
};
const SILENT_TIMEOUT_MS = 40;
const TIMEOUT_MS = 10_000;
/** Tight where a worker shares them in a small run, so that a share that is dealt too early shows. */
const LIMITS = { concurrency: 4, requestsPerSecond: 20 };
/** Larger than any answer of these worlds. */
export const MAX_ANSWER_BYTES = 65_536;
const JITTER = 0.5;

let template: Promise<string> | undefined;

/** A ledger file with the schema and nothing in it, made once: its copies save the migrations of thousands of worlds. */
async function emptyLedger(): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "licet-nth-")), "empty.sqlite");
  await copyNewLedger(path);
  return path;
}

export async function removeTemplate(): Promise<void> {
  if (template !== undefined) {
    await rm(join(await template, ".."), { recursive: true, force: true });
    template = undefined;
  }
}

export async function createNthWorld(plan: WorldPlan, faults: WorldFaults): Promise<NthWorld> {
  const directory = await mkdtemp(join(tmpdir(), "licet-nth-"));
  const ledgerFile = join(directory, "licet.sqlite");
  template ??= emptyLedger();
  await copyFile(await template, ledgerFile);
  const clock = createLeapClock();
  const traffic = createTraffic(clock);
  const sandbox = await startSandbox({ sites: plan.sites, clock });
  const wire = faults.wire ?? NO_WIRE_FAULT;
  const limits = faults.way === undefined || plan.hasLargeBatches === true ? null : LIMITS;
  const proxy = faults.wire === undefined ? null : await startFaultyGateway(sandbox.port, wire);
  const config = parseConfig(
    {
      ...plan.config,
      gateway: {
        baseUrl: proxy?.baseUrl ?? sandbox.url,
        apiKey: "sandbox-key",
        agentId: "licet-demo",
        requestsPerSecond: null,
        ...limits,
        timeoutMs: wire.fault.kind === "silence" ? SILENT_TIMEOUT_MS : TIMEOUT_MS,
        ...(plan.hasLargeBatches ? {} : { catalogPageSize: 4, quoteBatchSize: 3 }),
      },
      ledger: { path: ledgerFile },
      // Nothing connects to it (shared-queue.ts). Workers are refused where the queue is embedded.
      ...(faults.way === undefined ? {} : { queue: { url: "redis://queue.example" } }),
    },
    { cwd: directory, env: {} },
  );
  return {
    sandbox,
    ledgerFile,
    clock,
    checkTraffic: () => (limits === null ? [] : traffic.check(limits)),
    inProcess: (work) => {
      const { ledger = NO_LEDGER_FAULT, way } = faults;
      const company = way === undefined ? null : createCompany(way, traffic);
      const tuning = plan.hasLargeBatches ? TUNING : SMALL_BATCHES;
      return workInProcess({ config, clock, tuning, traffic }, { ledger, wire, company }, work);
    },
    close: async () => {
      await proxy?.close();
      await sandbox.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function workInProcess<Result>(
  {
    config,
    clock,
    tuning,
    traffic,
  }: {
    readonly config: Config;
    readonly clock: LeapClock;
    readonly tuning: Tuning;
    readonly traffic: Traffic;
  },
  faults: Required<Pick<WorldFaults, "ledger" | "wire">> & { readonly company: Company | null },
  work: (licet: NthProcess) => Promise<Result>,
): Promise<Result> {
  const isSilent = faults.wire.fault.kind === "silence";
  const { client, pending: requests } = createWatchedClient(
    {
      ...config.gateway,
      clock,
      random: () => JITTER,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      ...(isSilent ? { retries: 1 } : {}),
    },
    faults.wire,
    { traffic },
  );
  const { company } = faults;
  const queue = company?.queue ?? new MemoryQueue();
  const opened = openFaultyLedger(config.ledger.path, clock.now, faults.ledger);
  const resources: Resources = {
    config,
    clock,
    ids: createIds(),
    random: () => JITTER,
    systemUser: () => "tester",
    processes: thisProcess,
    waits: createWaits({ clock, processes: thisProcess, ledger: async () => opened.ledger }),
    tuning: isSilent ? FEW_REPETITIONS : tuning,
    ledger: async () => opened.ledger,
    gateway: async () => client,
    queue: async () => queue,
    ...SERVICE_QUEUES,
    converter: async () => ({ convert: async () => ({ ok: true, markdown: "derived" }), close: async () => {} }),
    openSpool: openFileSpool,
    snapshots: NO_SNAPSHOTS,
    close: async () => {},
  };
  const bus = new EventBus();
  const never = new AbortController().signal;
  const licet: NthProcess = {
    run: (options = {}) =>
      company === null
        ? runAgent(resources, bus, options)
        : company.offer(resources, (elsewhere) => runAgent(resources, bus, { ...options, elsewhere })),
    use: (uses) => useAgent(resources, uses),
    report: () => reportAgent(resources, bus, never),
    audit: () => auditAgent(resources),
    resolve: (purchaseId, charged) => opened.ledger.resolvePurchase({ purchaseId, charged, now: clock.now() }),
  };
  try {
    // A job in the queue is taken in the next turn, or never, when the run has stopped.
    const pending = () => requests() + opened.pending() + (company?.pending() ?? 0);
    return await clock.drive(work(licet), () => pending() === 0);
  } finally {
    await client.close();
    await opened.close();
  }
}
