/**
 * The service: one process that owns schedules, webhooks, reports by the clock, and the HTTP interface. Its lease comes before
 * everything else. Gateway and queue need not be reachable at the start: the service says so, and its parts try again.
 */
import { existsSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { createResources, type Resources } from "../agent/compose.ts";
import { createAgentOn } from "../agent/create-agent.ts";
import { EventBus } from "../agent/events/events.ts";
import type { Config } from "../config/config.ts";
import type { KnownWorker } from "../ledger/service-ledger.ts";
import { createHttpServer } from "./http/http-server.ts";
import { assertListenable, closeHttp, listenHttp } from "./http/listener.ts";
import { internalError } from "./http/problem.ts";
import { logEvents } from "./log/event-lines.ts";
import { logOutagesOnce } from "./log/log-outages-once.ts";
import { withoutSecrets } from "./log/redacted-log.ts";
import type { ServiceLog } from "./log/service-log.ts";
import { createReadiness, watchGatewayTraffic } from "./process/readiness.ts";
import { createProbes } from "./process/readiness-probes.ts";
import { type ServiceLease, takeServiceLease } from "./process/service-lease.ts";
import { stopInTime } from "./process/stop-service.ts";
import { createLeftRuns } from "./runs/left-runs.ts";
import { createRunManager } from "./runs/run-manager.ts";
import { reportOnce } from "./schedules/report-once.ts";
import { createScheduler } from "./schedules/scheduler.ts";
import type { ServiceContext, ServicePart } from "./service-part.ts";
import { createAlerts } from "./timed-tasks/alerts-part.ts";
import { createDailyTasks } from "./timed-tasks/daily-tasks.ts";
import { createLogKeeper } from "./timed-tasks/log-keeper.ts";
import { createWaitWatch } from "./timed-tasks/wait-watch.ts";
import { createDeliveryCounter } from "./webhooks/delivery-outcomes.ts";
import { createHintSignal } from "./webhooks/hint-signal.ts";
import { createHistorySweep } from "./webhooks/history-sweep.ts";
import { createWebhookRuns } from "./webhooks/webhook-runs.ts";
import { createServiceWorkers } from "./workers/create-workers.ts";
import { haveSharesLeft } from "./workers/left-shares.ts";
import type { ServiceWorkers } from "./workers/workers.ts";
import { createWorkersPart } from "./workers/workers-part.ts";

/** How long started purchases may take when another service took the ledger over. */
const LOST_STOP_MS = 2_000;
/** A ledger that has not answered a renewal for so many leases hangs. */
const MAX_LEASES_WITHOUT_ANSWER = 4;
/** What is not reachable is part of the status for so long. */
const STATUS_COUNTS_MS = 60_000;

export interface Service {
  /** Where the HTTP interface listens. */
  readonly url: string;
  /** Aborts with the error that ends the service: most often, another one took over its ledger. The caller stops it then. */
  readonly failed: AbortSignal;
  /** The workers on other machines. */
  workers(): readonly KnownWorker[];
  /** What the service does now, in one line. */
  describe(): string;
  /** Resolves while the ledger answers, for a watchdog. @throws LicetError LEDGER_*, Error when a write of the ledger hangs */
  checkAlive(): Promise<void>;
  /**
   * Stops in order, within `serve.shutdownMs`. Never throws. A second call waits for the first.
   * @returns the steps that did not end in time; the next service continues with them
   */
  stop(): Promise<readonly string[]>;
}

/** @throws LicetError SERVICE_ALIVE, LISTEN_FAILED, LEDGER_*. Nothing is left at work then. */
export async function startService(config: Config, log: ServiceLog): Promise<Service> {
  if (!existsSync(config.ledger.path)) {
    await assertListenable(config.serve);
  }
  const bus = new EventBus();
  return startServiceOn(createResources(config, bus), bus, log);
}

/** @returns the address that it listens at */
export type Listen = (app: FastifyInstance, serve: Config["serve"]) => Promise<string>;

/** A service over resources of the caller. It closes them when it stops, and when it cannot start. */
export async function startServiceOn(
  resources: Resources,
  bus: EventBus,
  rawLog: ServiceLog,
  listen: Listen = listenHttp,
): Promise<Service> {
  const log = logOutagesOnce(withoutSecrets(rawLog, resources.config), resources.clock);
  let lease: ServiceLease | null = null;
  let begun: Begun | null = null;
  try {
    lease = await takeServiceLease(resources, log);
    begun = await begin(createContext(resources, bus, { lease, log }), listen);
    const { workers } = begun.context;
    await lease.announce(begun.url, () => workers.list());
    for (const part of begun.parts) {
      await part.start();
    }
    return toService(begun, lease);
  } catch (error) {
    for (const part of begun?.parts.toReversed() ?? []) {
      await part.stop();
    }
    await begun?.context.runs.stop();
    begun?.context.workers.stop();
    await begun?.app.close();
    await lease?.release().catch(() => undefined);
    await resources.close();
    throw error;
  }
}

interface Begun {
  readonly context: ServiceContext & { readonly stop: AbortController };
  readonly parts: readonly ServicePart[];
  readonly app: FastifyInstance;
  readonly url: string;
}

function createContext(
  resources: Resources,
  bus: EventBus,
  { lease, log }: { readonly lease: ServiceLease; readonly log: ServiceLog },
): Begun["context"] {
  const { clock, config } = resources;
  const stop = new AbortController();
  const traffic = watchGatewayTraffic(bus, clock);
  const workers = createWorkers(resources, lease, log);
  return {
    config,
    resources,
    agent: createAgentOn(resources, bus),
    bus,
    runs: createRunManager(resources, workers),
    workers,
    log,
    lease,
    readiness: createReadiness({ clock, log }, createProbes(resources, { lease, traffic })),
    stopping: stop.signal,
    stop,
    hintSignal: createHintSignal(),
    deliveries: createDeliveryCounter(config.webhooks),
  };
}

async function begin(context: Begun["context"], listen: Listen): Promise<Begun> {
  logEvents(context);
  const parts = createParts(context);
  const app = await createHttpServer(context);
  const url = await listen(app, context.config.serve);
  // What is not reachable is said once, in the log.
  void context.readiness.read();
  return { context, parts, app, url };
}

function createWorkers(
  resources: Resources,
  { isAfterDeath, startedAt, workersBefore }: ServiceLease,
  log: ServiceLog,
): ServiceWorkers {
  const { config, tuning } = resources;
  const { workerLeaseMs } = tuning;
  const left = { now: startedAt, workerLeaseMs, timeoutMs: config.gateway.timeoutMs };
  return createServiceWorkers(resources, {
    log,
    toOperating: (bug) => internalError(bug as Error, log),
    isAfterDeath: isShared(config) && (isAfterDeath || haveSharesLeft(workersBefore, left)),
    known: workersBefore,
  });
}

/** Whether there may be workers on other machines. */
function isShared({ serve, queue }: Config): boolean {
  return queue.url !== "embedded" && serve.tokens.some(({ can }) => can === "work");
}

/** In the order in which they start. */
function createParts(context: ServiceContext): readonly ServicePart[] {
  const sweep = createHistorySweep(context);
  return [
    ...(isShared(context.config) ? [createWorkersPart(context)] : []),
    createAlerts(context),
    createWaitWatch(context),
    createLeftRuns(context),
    createScheduler(context),
    createWebhookRuns(context),
    ...(sweep === null ? [] : [sweep]),
    ...createDailyTasks(context),
    createLogKeeper(context),
  ];
}

function toService({ context, parts, app, url }: Begun, lease: ServiceLease): Service {
  const { resources, config, agent, bus, runs, workers, log, stop: stopping } = context;
  let stopped: Promise<readonly string[]> | null = null;

  const stop = () => {
    stopping.abort();
    const isLost = lease.lost.aborted;
    const withinMs = isLost ? Math.min(LOST_STOP_MS, config.serve.shutdownMs) : config.serve.shutdownMs;
    // Begun before any part can start another run.
    const runsEnded = runs.stop();
    const report = async (signal: AbortSignal) => {
      await runsEnded;
      await reportOnce(resources, bus, signal);
    };
    return stopInTime(
      { clock: resources.clock, log, withinMs },
      {
        working: [
          ...parts.toReversed().map((part) => ({ name: part.name, work: () => part.stop() })),
          { name: "runs", work: () => runsEnded },
          // Another service reports now.
          ...(isLost ? [] : [{ name: "reports", work: report }]),
        ],
        closing: [
          // Until their runs had ended, they ended what they had under way.
          { name: "workers", work: async () => workers.stop() },
          { name: "the HTTP interface", work: () => closeHttp(app, resources.clock) },
          { name: "the lease", work: () => lease.release() },
          { name: "the ledger", work: () => agent.close() },
        ],
      },
    );
  };

  return {
    url,
    failed: lease.lost,
    workers: () => workers.list(),
    describe: () => describeService(context, url),
    checkAlive: async () => {
      await (await resources.ledger("existing")).readLatestInstant();
      assertRenewed(lease, resources);
    },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Probes nothing: what was found long ago is left out. */
function describeService({ runs, readiness, resources }: ServiceContext, url: string): string {
  const now = resources.clock.now();
  const away = readiness.last().filter(({ ok, checkedAt }) => !ok && now - checkedAt < STATUS_COUNTS_MS);
  const atWork = runs.live().length;
  return [
    `listens on ${url}`,
    `${atWork} ${atWork === 1 ? "run" : "runs"} at work`,
    ...(away.length === 0 ? [] : [`not reachable: ${away.map(({ name }) => name).join(", ")}`]),
  ].join(", ");
}

/** A renewal that neither succeeds nor fails is a ledger that hangs. A full disk fails, and is not helped by a restart. */
function assertRenewed(lease: ServiceLease, { clock, tuning }: Resources): void {
  const ageMs = clock.now() - lease.renewedAt();
  if (lease.problem() === null && ageMs > MAX_LEASES_WITHOUT_ANSWER * tuning.serviceLeaseMs) {
    throw new Error(`the ledger has not answered for ${ageMs} ms`);
  }
}
