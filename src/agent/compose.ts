/**
 * The only place that builds adapters. It creates everything that licet's stages depend on from a configuration. The gateway's
 * client, the queue and the converter are imported when they are first needed: loading them takes longer than a command that only
 * reads the ledger.
 */
import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import { budgetedCurrencies } from "../budget/scope.ts";
import { compileEntryFilter } from "../catalog/entry-filter.ts";
import { warnOfNothingToBuy } from "../config/checks/nothing-to-buy.ts";
import { warnOfPlainHttp } from "../config/checks/plain-http.ts";
import type { Config, SiteConfig } from "../config/config.ts";
import type { MarkdownConverter } from "../content/markdown-converter.ts";
import { isLicetError } from "../errors.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { GatewayClient } from "../gateway/gateway-client.ts";
import { createIds, type Ids } from "../ids.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Snapshots } from "../ledger/snapshots.ts";
import type { Spool } from "../ledger/spool.ts";
import { openFileSpool } from "../ledger/sqlite/engine/file-spool.ts";
import { openMemoryLedger } from "../ledger/sqlite/open.ts";
import { createSnapshots } from "../ledger/sqlite/thread/snapshots.ts";
import type { Money } from "../money/money.ts";
import { createBuyingHold } from "../pipeline/acquire/buying-hold.ts";
import { type BuyingClock, createBuyingClock } from "../pipeline/decide/buying-clock.ts";
import { createDecisionTurns } from "../pipeline/decide/decision-turns.ts";
import { createAnswerStreaks } from "../pipeline/settle/answer-streaks.ts";
import { type DocumentSink, NO_SINK } from "../pipeline/settle/document-sink.ts";
import { createSiteHealth } from "../pipeline/site-health.ts";
import type { PipelineLimits, SiteSettings, StageDeps, StageEvents } from "../pipeline/stage-deps.ts";
import { createGlobWatch } from "../pipeline/walk/glob-watch.ts";
import { NO_OUTAGES, type OutagePolicy } from "../pipeline/work/outage-policy.ts";
import { createSlots } from "../pipeline/work/slots.ts";
import { compilePolicy } from "../policy/match-rule.ts";
import type { RunOrder } from "../policy/rule.ts";
import type { Queue } from "../queue/queue.ts";
import type { ScheduleQueue, ScheduleQueueEvents } from "../queue/schedule-queue.ts";
import { toExpiryPolicies } from "../rights/rights.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { systemUser } from "./acts/acted-by.ts";
import { EventBus } from "./events/events.ts";
import { withEvents } from "./events/gateway-events.ts";
import { type AgentAccess, createLedgerOpener } from "./open-ledger.ts";
import { type Processes, thisProcess } from "./this-process.ts";
import { PAGES_PER_PLACE, TUNING, type Tuning } from "./tuning.ts";
import { createWaits, type Waits } from "./waits/waits.ts";

/** What an agent opens. Each resource is opened when it is first needed. */
export interface Resources {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
  readonly tuning: Tuning;
  /** Who acts where a caller names nobody. */
  readonly systemUser: () => string;
  /** Describes the process that works on a run, for the ledger. */
  readonly processes: Processes;
  /** What this process waits for. */
  readonly waits: Waits;
  /**
   * The ledger, opened when it is first needed. Only `create` creates a file, and only when the configuration does not set
   * `ledger.mustExist`. Each call but `read` refuses a copy that no person has accepted (open-ledger.ts).
   * @param work `pages`: of a run or a service. With `ledger.thread`, the ledger then has a thread of its own where the machine has a core for it.
   * @default "call"
   * @throws LicetError LEDGER_*
   */
  ledger(access: AgentAccess, work?: "call" | "pages"): Promise<Ledger>;
  /** Of the ledger's file, for who looks at it while runs write it. */
  readonly snapshots: Snapshots;
  gateway(): Promise<Gateway>;
  /**
   * @param onWarning called for a problem of the queue that does not end the run; each call replaces the callback of the call
   * before
   */
  queue(onWarning: (message: string) => void): Promise<Queue>;
  /** Another queue each time, which the caller closes: runs of one process must not work on each other's queue. */
  openQueue(onWarning: (message: string) => void): Promise<Queue>;
  /** The queue that wakes a service for its schedules. The caller closes it. */
  openScheduleQueue(events: ScheduleQueueEvents): Promise<ScheduleQueue>;
  converter(): Promise<MarkdownConverter>;
  /** Rows that are too many for the memory, to be read sorted. The caller closes it. @throws LicetError INSTALL_INCOMPLETE */
  openSpool(): Spool;
  close(): Promise<void>;
}

/** @param bus gets the events of the gateway client */
export function createResources(config: Config, bus: EventBus = new EventBus()): Resources {
  const ledger = createLedgerOpener(config, (copy) => bus.emit("ledger.restored", copy));
  let gateway: Promise<GatewayClient> | null = null;
  let queue: Promise<Queue> | null = null;
  let warn: (message: string) => void = () => {};
  let converter: Promise<MarkdownConverter> | null = null;
  const waits = createWaits({ clock: systemClock, processes: thisProcess, ledger: () => ledger.open("existing") });
  const snapshots = createSnapshots(config.ledger.path, systemClock);
  return {
    config,
    clock: systemClock,
    ids: createIds(),
    random: Math.random,
    tuning: TUNING,
    systemUser,
    processes: thisProcess,
    waits,
    ledger: (access, work = "call") => {
      const inThread = work === "pages" && config.ledger.thread && availableParallelism() > 1;
      if (inThread) {
        // What a run needs next is loaded while its thread starts.
        void Promise.allSettled([import("../gateway/gateway-client.ts"), import("../queue/bullmq-queue.ts")]);
      }
      return ledger.open(access, inThread);
    },
    snapshots,
    gateway: () => (gateway ??= createGateway(config, bus)),
    queue: (onWarning) => {
      warn = onWarning;
      queue ??= openConfiguredQueue(config, (message) => warn(message));
      // A failed connection is tried again by the next call.
      queue.catch(() => {
        queue = null;
      });
      return queue;
    },
    openQueue: (onWarning) => openConfiguredQueue(config, onWarning),
    openScheduleQueue: (events) => openConfiguredScheduleQueue(config, events),
    converter: () => (converter ??= createConverter(config)),
    openSpool: openFileSpool,
    close: async () => {
      const opened = [queue, gateway, converter].map(async (one) => (await one?.catch(() => undefined))?.close());
      await Promise.all(opened);
      await snapshots.close();
      await waits.close();
      await ledger.close();
    },
  };
}

async function createGateway({ gateway }: Config, bus: EventBus): Promise<GatewayClient> {
  const { GatewayClient } = await import("../gateway/gateway-client.ts");
  return new GatewayClient(withEvents(gateway, bus, systemClock));
}

async function openConfiguredQueue({ queue, ledger }: Config, onWarning: (message: string) => void): Promise<Queue> {
  const { openQueue } = await import("../queue/bullmq-queue.ts");
  return openQueue({ url: queue.url, prefix: queuePrefix(ledger.path), onWarning });
}

/** One a ledger, whose schedulers stay on a server. */
async function openConfiguredScheduleQueue(
  { queue, ledger }: Config,
  events: ScheduleQueueEvents,
): Promise<ScheduleQueue> {
  const { openScheduleQueue } = await import("../queue/bullmq-schedule-queue.ts");
  return openScheduleQueue({ url: queue.url, prefix: queuePrefix(ledger.path), ...events });
}

async function createConverter({ content, gateway }: Config): Promise<MarkdownConverter> {
  const { createMarkdownConverter } = await import("../content/markdown-converter.ts");
  return createMarkdownConverter({
    threads: content.threads,
    limits: { inputBytes: content.maxInputBytes, outputBytes: content.maxOutputBytes, timeMs: content.timeoutMs },
    maxQueued: 2 * gateway.concurrency * PAGES_PER_PLACE,
  });
}

/**
 * Works with the ledger of a call that looks at what a run would do, and must not create a ledger file: an empty one in memory when there is none.
 * @throws LicetError LEDGER_*, LEDGER_MISSING only when the configuration sets `ledger.mustExist`
 */
export async function withLedgerOrEmpty<Result>(
  { config, clock, ledger }: Resources,
  access: "read" | "existing",
  work: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const known = await ledger(access).catch((error: unknown) => {
    if (!isLicetError(error, "LEDGER_MISSING") || config.ledger.mustExist) {
      throw error;
    }
    return null;
  });
  if (known !== null) {
    return work(known);
  }
  const empty = await openMemoryLedger(clock);
  try {
    return await work(empty);
  } finally {
    await empty.close();
  }
}

/**
 * Two ledgers on one Redis must not mix their jobs. The path is hashed because it may contain characters that a key must not
 * contain.
 */
function queuePrefix(ledgerPath: string): string {
  return `licet-${createHash("sha256").update(ledgerPath).digest("hex").slice(0, 16)}`;
}

/** Takes the documents of a run, and limits the pages under way, because each of them may soon be a document that waits. */
export interface RunSink {
  readonly documents: DocumentSink;
  readonly maxPages: number;
}

/**
 * Creates what the stages depend on, for some of the configured sites.
 * @param options.maxSpend the run's limit; the run buys only in its currency
 * @param options.sink where settled documents go. @default nowhere but into the ledger
 * @param options.outagePolicy @default that of a command
 * @param options.order @default "catalog"
 * @param options.buyingClock of a run or a plan, because nothing else decides about pages
 */
export async function createStageDeps(
  resources: Resources,
  ledger: Ledger,
  options: {
    readonly sites: readonly SiteConfig[];
    readonly maxSpend: Money | null;
    readonly events: StageEvents;
    readonly sink?: RunSink | undefined;
    readonly buyingClock?: BuyingClock;
    readonly outagePolicy?: OutagePolicy;
    readonly order?: RunOrder;
  },
): Promise<StageDeps> {
  const { config, clock, ids, random, tuning } = resources;
  return {
    gateway: await resources.gateway(),
    ledger,
    clock,
    ids,
    random,
    converter: { convert: async (html, baseUrl) => (await resources.converter()).convert(html, baseUrl) },
    events: options.events,
    limits: toLimits(config, tuning),
    sites: new Map(options.sites.map((site) => [site.host, toSettings(config, site, options.maxSpend)])),
    budgets: config.budgets,
    expiry: toExpiryPolicies(config.policies.values(), config.sites),
    fee: config.gateway.fee,
    licenseIdField: config.gateway.licenseIdField,
    reportPermissions: config.gateway.reportPermissions,
    documents: options.sink?.documents ?? NO_SINK,
    pageSlots: createSlots(
      Math.min(config.gateway.concurrency * PAGES_PER_PLACE, options.sink?.maxPages ?? Number.POSITIVE_INFINITY),
    ),
    tokenSlots: createSlots(config.gateway.concurrency),
    tokenStop: null,
    siteHealth: createSiteHealth(),
    answerStreaks: createAnswerStreaks(),
    order: options.order ?? "catalog",
    turns: createDecisionTurns(),
    buyingHold: createBuyingHold(),
    buyingClock: options.buyingClock ?? createBuyingClock([], null),
    globWatch: createGlobWatch(config.sites),
    outagePolicy: options.outagePolicy ?? NO_OUTAGES,
    book: null,
  };
}

function toLimits({ gateway, content, reporting }: Config, tuning: Tuning): PipelineLimits {
  return {
    ...tuning.pipeline,
    catalogPageSize: gateway.catalogPageSize,
    quoteBatchSize: gateway.quoteBatchSize,
    minContentBytes: content.minBytes,
    reportBatchSize: reporting.batchSize,
    reportWindowMs: reporting.windowMs,
  };
}

function toSettings(config: Config, site: SiteConfig, maxSpend: Money | null): SiteSettings {
  const budgeted = budgetedCurrencies(config.budgets, site.host);
  const filter = compileEntryFilter({ include: site.include, exclude: site.exclude });
  return {
    host: site.host,
    policy: compilePolicy(site.policy),
    refresh: site.refresh,
    isExcluded: (path) => filter(path) !== null,
    reporting: site.reporting,
    currencies:
      maxSpend === null ? budgeted : new Set([...budgeted].filter((currency) => currency === maxSpend.currency)),
  };
}

/** Warns at the start of each call that uses the gateway, with the same text as `check`. */
export function warnOfSettings(config: Config, events: Pick<StageEvents, "warned">): void {
  for (const warning of [warnOfPlainHttp(config.gateway.baseUrl), warnOfNothingToBuy(config)]) {
    if (warning !== null) {
      events.warned(warning);
    }
  }
}
