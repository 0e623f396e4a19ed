/** `licet serve` as a process of the simulated world: the real service, without a socket. Requests to it are injected. */
import type { FastifyInstance } from "fastify";
import { startServiceOn } from "../../../src/serve/service.ts";
import type { ProcessJob } from "../process.ts";
import type { World } from "../world.ts";

export interface SimulatedService {
  /** Null until it listens. */
  app: FastifyInstance | null;
}

/** Works until its process is told to stop, or until another service took the ledger. */
export function serveJob(
  world: World,
  service: SimulatedService,
  hear: (message: string) => void = () => {},
): ProcessJob {
  return async (resources, bus, signal) => {
    const running = await startServiceOn(resources, bus, world.logs.of("service", hear), async (app) => {
      app.addHook("onRequest", async ({ raw: request }, { raw: answer }) => {
        // An injected request has arrived whole, and the socket of its answer does not wait.
        Object.assign(request, { complete: true });
        Object.assign(answer.socket ?? {}, { setTimeout: () => {} });
      });
      await app.ready();
      service.app = app;
      return "http://service.example";
    });
    await Promise.race([whenAborted(signal), whenAborted(running.failed)]);
    service.app = null;
    return running.stop();
  };
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
