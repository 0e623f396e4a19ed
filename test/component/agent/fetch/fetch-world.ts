import { onTestFinished } from "vitest";
import type { Agent } from "../../../../src/agent/agent.ts";
import { createResources, type Resources } from "../../../../src/agent/compose.ts";
import { createAgentOn } from "../../../../src/agent/create-agent.ts";
import { EventBus } from "../../../../src/agent/events/events.ts";
import type { FetchReport } from "../../../../src/agent/fetch/fetch-report.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { LicetError } from "../../../../src/errors.ts";
import type { Ledger } from "../../../../src/ledger/ledger.ts";
import type { SandboxOptions } from "../../../../src/sandbox/options.ts";
import { systemClock } from "../../../../src/time/clock.ts";
import { type ConfigFile, type CrawlWorld, createCrawlWorld } from "../../../doubles/crawl-world.ts";

export const HOST = "news.example";
export const PRICE_MICROS = 10_000;
export const urlOf = (number: number): string => `https://${HOST}/articles/${String(number).padStart(7, "0")}`;
export const FIRST = urlOf(0);

export const BUDGETS: ConfigFile[string] = [{ scope: "all", per: "month", limit: "1 USD" }];
export const SITES: ConfigFile[string] = [{ host: HOST, policy: "standard" }];

type CrawlSite = NonNullable<SandboxOptions["sites"]>[number];

export interface FetchWorld extends CrawlWorld {
  /** Calls of the gateway so far, of all agents of this world. */
  readonly requests: string[];
  /** As a new process would make one. Its clock is ahead of the machine's by so many ms. */
  openAgentAt(aheadMs: number): Promise<Agent>;
  /** With other resources in the place of some. */
  openAgentOn(alter: (resources: Resources) => Partial<Resources>): Promise<Agent>;
  /** Over a ledger some of whose methods the test replaces. */
  openAgentOver(replace: (ledger: Ledger) => Partial<Ledger>): Promise<Agent>;
}

/** A page that the gateway sells under `http` and under `https`. */
export const UNDER_BOTH: CrawlSite = {
  kind: "pages",
  host: HOST,
  pages: [FIRST, FIRST.replace("https:", "http:")].map((url) => ({ url, html: "<p>The same text.</p>" })),
};

/** A site of ten pages at one price, and a budget for a hundred. Ends with an audit without violations. */
export async function createFetchWorld(
  config: ConfigFile = {},
  license: { readonly validUntil?: string } = {},
  site: CrawlSite = { kind: "synthetic", host: HOST, pages: 10, bodyBytes: 300 },
): Promise<FetchWorld> {
  const world = await createCrawlWorld({
    sandbox: {
      sites: [site],
      rates: {
        licenses: { sold: { type: "ON_DEMAND_LICENSE", ...license } },
        default: [{ license: "sold", price: "0.01 USD" }],
      },
    },
    config: { budgets: BUDGETS, sites: SITES, ...config },
  });
  const requests: string[] = [];
  const opened: Agent[] = [];
  const openAgentOn: FetchWorld["openAgentOn"] = async (alter) => {
    const bus = new EventBus();
    const resources = createResources(await loadConfig({ path: world.configFile, cwd: world.directory, env: {} }), bus);
    const agent = createAgentOn({ ...resources, ...alter(resources) }, bus);
    agent.on("gateway.request", ({ call }) => requests.push(call));
    opened.push(agent);
    return agent;
  };
  const openAgentAt = (aheadMs: number) =>
    openAgentOn(() => ({ clock: { ...systemClock, now: () => systemClock.now() + aheadMs } }));
  const openAgentOver: FetchWorld["openAgentOver"] = (replace) =>
    openAgentOn(({ ledger: open }) => ({
      ledger: async (access) => {
        const ledger = await open(access);
        return { ...ledger, ...replace(ledger) };
      },
    }));
  onTestFinished(async () => {
    await Promise.all(opened.map((agent) => agent.close()));
    await world.close();
  });
  return { ...world, requests, openAgentAt, openAgentOn, openAgentOver, openAgent: () => openAgentAt(0) };
}

/** `bought`, or `denied budget_exhausted`, in the order of the URLs. */
export function outcomesOf({ results }: FetchReport): string[] {
  return results.map(({ outcome, reason }) => (reason === null ? outcome : `${outcome} ${reason}`));
}

/** What the gateway charged, by its own account. */
export function chargesOf({ sandbox }: CrawlWorld): string[] {
  return sandbox.audit().charges.map(({ url }) => url);
}

/**
 * A ledger in which these methods find the file busy from the start of a purchase until the next fetch begins. What came is settled all the same,
 * and the run is not ended with it.
 */
export function lockAfterStart(ledger: Ledger, methods: readonly (keyof Ledger)[]): Partial<Ledger> {
  let isLocked = false;
  const lock = (method: keyof Ledger) => async (asked: never) => {
    if (isLocked) {
      throw new LicetError("LEDGER_LOCKED", "another process has the ledger", { details: { path: "ledger" } });
    }
    return (ledger[method] as (asked: never) => Promise<unknown>)(asked);
  };
  return {
    ...Object.fromEntries([...methods, "endFetchBatch" as const].map((method) => [method, lock(method)])),
    beginFetch: (fetch) => {
      isLocked = false;
      return ledger.beginFetch(fetch);
    },
    startPurchase: (start) => {
      isLocked = true;
      return ledger.startPurchase(start);
    },
    settleLast: async (settlement) => ({
      settled: await ledger.settlePurchase(settlement),
      last: { isFinished: false, isEnded: false, leases: [] },
    }),
  };
}

/** A fetch that commits the start of its purchase and is then never heard of again, as in a process that was killed. */
export async function dieWhileBuying(world: FetchWorld, url: string): Promise<void> {
  const bus = new EventBus();
  const config = await loadConfig({ path: world.configFile, cwd: world.directory, env: {} });
  const resources = createResources(config, bus);
  let started = () => {};
  let wake = () => {};
  const isStarted = new Promise<void>((resolve) => {
    started = resolve;
  });
  const isOver = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const agent = createAgentOn(
    {
      ...resources,
      ledger: async (access) => {
        const ledger = await resources.ledger(access);
        const startPurchase: typeof ledger.startPurchase = async (start) => {
          const result = await ledger.startPurchase(start);
          started();
          await isOver;
          return result;
        };
        return { ...ledger, startPurchase };
      },
    },
    bus,
  );
  const lost = agent.fetch([url]);
  onTestFinished(async () => {
    wake();
    await lost;
    await agent.close();
  });
  await isStarted;
}
