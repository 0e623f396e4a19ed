/** The service's side of workers without HTTP and without a queue: each worker's port, over the ledger of a stages' world. */
import { onTestFinished } from "vitest";
import { hashContent } from "../../../src/content/content-hash.ts";
import { isLicetError, LicetError } from "../../../src/errors.ts";
import type { RequestLimits } from "../../../src/gateway/gateway.ts";
import { RequestGate } from "../../../src/gateway/request-gate.ts";
import { createHttpChannel } from "../../../src/ledger/http/http-channel.ts";
import { createCalls } from "../../../src/ledger/messages/calls.ts";
import { toBareFailure } from "../../../src/ledger/messages/failure.ts";
import { createInFlightRegistry } from "../../../src/pipeline/work/in-flight-jobs.ts";
import type { Stage } from "../../../src/queue/queue.ts";
import { ServiceWorkers } from "../../../src/serve/workers/workers.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { type Beat, WORKER_METHODS, type WorkerPort } from "../../../src/worker/worker-port.ts";
import { contentAnswer } from "../../doubles/scripted-gateway.ts";
import { createStageWorld, LIMITS } from "../pipeline/stage-world.ts";

const SHORT_MS = 50;
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
export const WORKER_LEASE_MS = 10_000;
export const TIMEOUT_MS = 30_000;
const GATEWAY = { baseUrl: "http://127.0.0.1:9", concurrency: 8, requestsPerSecond: null, timeoutMs: TIMEOUT_MS };
export const TOKEN = { token: "token-1", expiresAt: 9_999_999_999_999 };

/** A service over a run of the stages' world, and workers that come to it. */
export async function openBoundWorld(options: Parameters<typeof createStageWorld>[0] = {}) {
  const world = await createStageWorld(options);
  onTestFinished(() => world.close());
  const { ledger, deps, runId } = world;
  // Calls wait a few milliseconds for others: nobody moves the clock for that.
  const clock = {
    ...world.clock,
    sleep: (ms, signal) => (ms < SHORT_MS ? nextTurn() : world.clock.sleep(ms, signal)),
  } as typeof world.clock;
  const limits = new RequestGate({ ...GATEWAY, clock, random: () => 0.5 });
  const workers = new ServiceWorkers({
    config: {
      gateway: GATEWAY,
      queue: { url: "redis://127.0.0.1:6379" },
      content: { maxInputBytes: 1, maxOutputBytes: 1, timeoutMs: 1 },
    } as never,
    clock,
    leaseTimes: { leaseMs: LIMITS.leaseMs, flushLeaseMs: LIMITS.flushLeaseMs, workerLeaseMs: WORKER_LEASE_MS },
    ledger: async () => ledger,
    gateway: async () => ({ ...world.gateway, limits: limits as RequestLimits }),
    log: { info: () => {}, warn: () => {} },
    failureOf: (error) =>
      toBareFailure(
        isLicetError(error) ? error : new LicetError("INTERNAL_ERROR", String(error), { details: { errorId: "" } }),
      ),
    isAfterDeath: false,
    known: [],
  });
  onTestFinished(() => workers.stop());
  const inFlight = createInFlightRegistry(clock);
  const failures: unknown[] = [];
  const taken: (readonly Stage[])[] = [];
  const join = () =>
    workers.join({
      runId,
      deps,
      inFlight,
      stop: new AbortController().signal,
      onFailure: (error) => failures.push(error),
      queue: { prefix: "p", owner: "o" },
      local: { close: async () => {}, takeOnly: (stages) => taken.push(stages), setConcurrency: () => {} },
    });
  join();
  const come = async (name: string) => {
    const { session } = await workers.hello({ name, places: 4 }, "fleet");
    let number = 0;
    const beat = (more: Partial<Beat> = {}) => {
      number += 1;
      const bare = { confirmed: 0, restMs: 0, attached: [], jobs: 0, isDraining: false, pages: 0, mayWait: false };
      return workers.beat({ session, number, ...bare, ...more });
    };
    const channel = createHttpChannel({
      exchange: (request, body) => workers.answer(session, request, body),
      clock: systemClock,
      random: () => 0.5,
    });
    onTestFinished(() => channel.close());
    const port = createCalls<WorkerPort>(channel, { methods: WORKER_METHODS, path: "the service" });
    const { works } = await beat();
    return { session, beat, port, work: works[0]?.work ?? "" };
  };
  const beginAcquire = async (worker: Awaited<ReturnType<typeof come>>) => {
    const leaseId = await world.leasePurchases(["/a"]);
    const begun = await worker.port.beginJob({ work: worker.work, job: { stage: "acquire", leaseId } });
    const purchase = begun?.stage === "acquire" ? begun.opened.purchases[0] : undefined;
    if (purchase === undefined) {
      throw new Error("there is nothing to buy");
    }
    return { leaseId, purchaseId: purchase.purchaseId };
  };
  return { ...world, workers, limits, inFlight, failures, taken, join, come, beginAcquire };
}

export function toSettlement(purchaseId: number): Parameters<WorkerPort["settlePurchase"]>[0] {
  const { content } = contentAnswer();
  return {
    purchaseId,
    now: 1,
    charge: null,
    feeMicros: 0 as never,
    content: {
      ...{ markdown: content.body, html: null, header: null, footer: null },
      ...content.metadata,
      contentHash: hashContent({ header: "", body: Buffer.from(content.body), footer: "" }),
      conversionFailure: null,
    },
    requestId: null,
    flaws: [],
    isEmpty: false,
  };
}
