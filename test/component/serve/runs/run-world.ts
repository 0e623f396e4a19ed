/** The run manager of a service over a sandbox, in this process. */
import { createResources, type Resources } from "../../../../src/agent/compose.ts";
import { EventBus } from "../../../../src/agent/events/events.ts";
import type { Outage } from "../../../../src/agent/runs/outages.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import type { SandboxOptions } from "../../../../src/sandbox/options.ts";
import {
  createRunManager,
  type LiveRun,
  type RunManager,
  type StartedRun,
} from "../../../../src/serve/runs/run-manager.ts";
import { type ConfigFile, type CrawlWorld, createCrawlWorld } from "../../../doubles/crawl-world.ts";
import { type GatewayRelay, startGatewayRelay } from "../../../doubles/gateway-relay.ts";

export const BUDGET: ConfigFile = { scope: "all", per: "month", limit: "100 USD" };

export interface RunWorld extends CrawlWorld {
  readonly resources: Resources;
  readonly runs: RunManager;
  /** Before the gateway. */
  readonly relay: GatewayRelay;
  /** What was told of outages: `gateway begins`, `gateway is over`. */
  readonly outages: readonly string[];
  /** Resolves with the next outage that begins. */
  nextOutage(): Promise<Outage>;
  /** As a service that is started after this one has stopped. */
  reopen(): Promise<{ readonly resources: Resources; readonly runs: RunManager }>;
}

/** @param options.adapt what a test changes of the resources, such as the clock */
export async function createRunWorld(options: {
  readonly sandbox: SandboxOptions;
  readonly config: ConfigFile;
  readonly queueUrl?: string;
  readonly adapt?: (resources: Resources) => Resources;
}): Promise<RunWorld> {
  const world = await createCrawlWorld(options);
  const relay = await startGatewayRelay(world.sandbox.url);
  await world.configure({
    ...options.config,
    gateway: { ...(options.config.gateway as ConfigFile | undefined), baseUrl: relay.url },
  });
  const outages: string[] = [];
  const waiting: ((outage: Outage) => void)[] = [];
  const opened: { readonly resources: Resources; readonly runs: RunManager }[] = [];
  const reopen = async () => {
    const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
    const own = createResources(config, new EventBus());
    const resources = options.adapt?.(own) ?? own;
    const service = { resources, runs: createRunManager(resources) };
    service.runs.onOutage((outage, isOver) => {
      outages.push(`${outage.place} ${isOver ? "is over" : "begins"}`);
      for (const tell of isOver ? [] : waiting.splice(0)) {
        tell(outage);
      }
    });
    await resources.ledger("create");
    opened.push(service);
    return service;
  };
  const first = await reopen();
  return {
    ...world,
    ...first,
    relay,
    outages,
    nextOutage: () => new Promise((resolve) => waiting.push(resolve)),
    reopen,
    close: async () => {
      await Promise.all(opened.map(({ runs }) => runs.stop()));
      await Promise.all(opened.map(({ resources }) => resources.close()));
      await relay.close();
      await world.close();
    },
  };
}

/** @throws when the run did not start */
export function startedOf(started: StartedRun): LiveRun {
  if (started.kind !== "started") {
    throw new Error(`the run did not start: ${started.detail}`);
  }
  return started.run;
}

/** How the run ended, in a word. */
export async function stateOf(run: LiveRun): Promise<string> {
  const end = await run.ended;
  return end.kind === "ended" ? end.report.state : `failed: ${end.error.message}`;
}
