/** A worker of one place, whose service and queues are played by a test. */
import { createIds } from "../../../src/ids.ts";
import { runWorker } from "../../../src/worker/worker.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import type { FakeClock } from "../../doubles/fake-clock.ts";
import { createScriptedGateway } from "../../doubles/scripted-gateway.ts";

interface Script extends Partial<Pick<WorkerOptions, "isDrained" | "stop" | "tools" | "jobsAtOnce">> {
  readonly client: Pick<WorkerOptions["client"], "hello" | "beat"> & Partial<WorkerOptions["client"]>;
  readonly queues?: Partial<WorkerOptions["queues"]>;
}

/** Without more in the script, its queues are there and nothing is heard of the ledger. */
export function runScriptedWorker(clock: FakeClock, { client, queues, ...options }: Script): Promise<void> {
  return runWorker({
    name: "worker",
    places: 1,
    client: { isRemote: false, bye: async () => {}, exchangeAs: () => () => new Promise(() => {}), ...client },
    queues: {
      has: async () => true,
      ping: async () => {},
      startWorkers: async () => null as never,
      close: async () => {},
      ...queues,
    },
    clock,
    random: () => 0.5,
    tools: async () => ({ gateway: createScriptedGateway(clock.now), ids: createIds(), converter: null as never }),
    jobsAtOnce: () => ({ walk: 1, quote: 1, acquire: 1, report: 1 }),
    log: { info: () => {}, warn: () => {} },
    isDrained: false,
    stop: new AbortController().signal,
    end: new AbortController().signal,
    ...options,
  });
}

const STEP_MS = 50;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** In small steps, with room for the beats of the worker after each. */
export async function passTime(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    clock.advance(STEP_MS);
    await turn();
    await turn();
  }
}
