/** A run that offers its work to a worker on another machine, as a service does, for as long as the run lasts. */
import fastify from "fastify";
import type { Resources } from "../../src/agent/compose.ts";
import { LicetError } from "../../src/errors.ts";
import { createIds } from "../../src/ids.ts";
import { packageVersion } from "../../src/package-directory.ts";
import type { WorkersElsewhere } from "../../src/pipeline/work/elsewhere.ts";
import { addProblems } from "../../src/serve/http/problem.ts";
import { addLedgerRoutes } from "../../src/serve/http/routes/ledger.ts";
import { createServiceWorkers } from "../../src/serve/workers/create-workers.ts";
import { createServiceClient } from "../../src/worker/service-client.ts";
import { runWorker } from "../../src/worker/worker.ts";
import type { WorkerOptions } from "../../src/worker/worker-options.ts";
import { createWatchedClient, NO_WIRE_FAULT, type WatchedClient } from "./gateway.ts";
import { createServiceWay, type ServiceWay, type WayFaults } from "./service-way.ts";
import { SharedMemoryQueue } from "./shared-queue.ts";
import type { Traffic } from "./traffic.ts";

export interface Company {
  readonly queue: SharedMemoryQueue;
  /** Does work of a run, with a worker beside it that comes before and leaves afterwards. @throws also for a bug of the worker */
  offer<Result>(resources: Resources, work: (elsewhere: WorkersElsewhere) => Promise<Result>): Promise<Result>;
  /** What of the worker is under way to the service or to the gateway. */
  pending(): number;
}

const PLACES = 4;
/** A request of the worker to the gateway takes so long: meanwhile uses become due for a report, and beats come and go. */
const LATENCY_MS = 400;
/** What a worker has begun may take so long after it was told to stop: longer than each fault that ends by itself. */
const ENDING_MS = 120_000;
/** A run waits so long for a worker that comes. */
const COMING_MS = 2_000;
const LOOK_MS = 50;
const SILENT = { debug: () => {}, info: () => {}, warn: () => {} };

export function createCompany(faults: WayFaults, traffic: Traffic): Company {
  const queue = new SharedMemoryQueue();
  let way: ServiceWay | null = null;
  let client: WatchedClient | null = null;
  return {
    queue,
    pending: () => (way?.moving() ?? 0) + (client?.pending() ?? 0),
    offer: async (resources, work) => {
      const { clock } = resources;
      const workers = createServiceWorkers(resources, {
        log: SILENT,
        toOperating: toInternal,
        isAfterDeath: false,
        known: [],
      });
      const app = fastify({ logger: false });
      way = createServiceWay(app, clock, faults);
      addProblems(app, SILENT);
      addLedgerRoutes(app, { workers: way.watch(workers), lease: { assertHeld: () => {} } } as never);
      await app.ready();
      await workers.start();
      const [stop, end] = [new AbortController(), new AbortController()];
      const bugs: string[] = [];
      const ended = runWorker({
        ...createOptions(resources, { fetch: way.fetch, queue, stop: stop.signal, end: end.signal, bugs }),
        tools: async ({ gateway }, serviceClock) => {
          const { apiKey } = resources.config.gateway;
          client = createWatchedClient(
            { ...gateway, apiKey, clock: serviceClock, concurrency: PLACES, requestsPerSecond: null },
            NO_WIRE_FAULT,
            { traffic, travel: () => clock.sleep(LATENCY_MS) },
          );
          return { gateway: client.client, ids: createIds(), converter: await resources.converter() };
        },
      });
      ended.catch(() => {});
      for (let waited = 0; workers.count() === 0 && waited < COMING_MS; waited += LOOK_MS) {
        await clock.sleep(LOOK_MS);
      }
      const result = await work(workers).finally(async () => {
        stop.abort();
        await Promise.race([ended, clock.sleep(ENDING_MS)]);
        end.abort();
        await ended;
        workers.stop();
      });
      if (bugs.length > 0) {
        throw new Error(bugs.join("; "));
      }
      return result;
    },
  };
}

function createOptions(
  { clock, random, tuning }: Resources,
  {
    fetch,
    queue,
    stop,
    end,
    bugs,
  }: {
    readonly fetch: ServiceWay["fetch"];
    readonly queue: SharedMemoryQueue;
    readonly stop: AbortSignal;
    readonly end: AbortSignal;
    readonly bugs: string[];
  },
): Omit<WorkerOptions, "tools"> {
  return {
    name: "worker:1",
    places: PLACES,
    isDrained: false,
    clock,
    random,
    client: createServiceClient({ url: "http://service.example", token: "token", version: packageVersion(), fetch }),
    queues: queue.elsewhere,
    jobsAtOnce: () => tuning.workerConcurrency,
    log: {
      info: () => {},
      warn: (message) => {
        if (message.includes("unexpected error")) {
          bugs.push(message);
        }
      },
    },
    stop,
    end,
  };
}

function toInternal(error: unknown): LicetError {
  return new LicetError("INTERNAL_ERROR", String(error instanceof Error ? error.stack : error), {
    details: { errorId: "nth" },
  });
}
