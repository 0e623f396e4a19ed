/** `licet worker` as a process of the simulated world: the real worker over a way to its service, with gateway and queues simulated. */
import { tuneFor } from "../../../src/agent/tuning.ts";
import { GatewayClient } from "../../../src/gateway/gateway-client.ts";
import { createServiceClient } from "../../../src/worker/service-client.ts";
import { runWorker } from "../../../src/worker/worker.ts";
import { createSimulatedConverter, createSimulatedIds, type ProcessDeps } from "../process.ts";
import { API_KEY, SERVICE_URL, WORKER_TOKEN } from "../scenario-config.ts";
import type { Owner } from "../scheduler.ts";
import type { QueueDirectory } from "../simulated-queue.ts";
import { createSimulatedWire } from "../simulated-wire.ts";
import { createServiceFetch, type WayDeps } from "./service-way.ts";

/** What a worker may not reach for a while. */
export const NEIGHBOURS = ["service", "messages of the service", "gateway", "queue"] as const;
export type Neighbour = (typeof NEIGHBOURS)[number];

export interface SimulatedWorker extends Owner {
  readonly name: string;
  readonly stop: AbortController;
  readonly cutOff: Set<Neighbour>;
  hasEnded: boolean;
  /** What it ended with: an operating error, or a bug. */
  error: unknown;
}

export interface WorkerOrder {
  readonly name: string;
  readonly places: number;
  readonly version: string;
  readonly isDrained: boolean;
}

export function startSimulatedWorker(
  deps: ProcessDeps,
  way: WayDeps,
  { name, places, version, isDrained }: WorkerOrder,
): SimulatedWorker {
  const { scheduler, random, tuning } = deps;
  const worker: SimulatedWorker = {
    name,
    isAlive: true,
    suspendedUntil: null,
    diesAtEvent: Number.POSITIVE_INFINITY,
    events: 0,
    skewMs: 0,
    stop: new AbortController(),
    cutOff: new Set(),
    hasEnded: false,
    error: null,
  };
  const clock = scheduler.clockOf(worker);
  const live = async () => {
    await scheduler.pause(0, worker);
    try {
      await runWorker({
        name,
        places,
        isDrained,
        clock,
        client: createServiceClient({
          url: SERVICE_URL,
          token: WORKER_TOKEN,
          version,
          fetch: createServiceFetch(way, worker),
        }),
        queues: (deps.queues as QueueDirectory).connect(worker, () => worker.cutOff.has("queue")),
        random: random.next,
        jobsAtOnce: (ofShare) => tuneFor(tuning, Math.max(1, ofShare)).workerConcurrency,
        log: deps.logs.of(name),
        stop: worker.stop.signal,
        end: new AbortController().signal,
        tools: async ({ gateway }, serviceClock) => ({
          gateway: new GatewayClient(
            {
              ...gateway,
              apiKey: API_KEY,
              clock: serviceClock,
              concurrency: places,
              requestsPerSecond: null,
              random: random.next,
            },
            createSimulatedWire({ ...deps.wire, isCut: () => worker.cutOff.has("gateway") }, worker, name),
          ),
          ids: createSimulatedIds(random, clock),
          converter: createSimulatedConverter(deps, worker),
        }),
      });
    } catch (error) {
      worker.error = error;
    }
    worker.hasEnded = true;
  };
  void live();
  return worker;
}
