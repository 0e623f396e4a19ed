/** The service: one process that owns schedules, webhooks, reports by the clock, and the HTTP interface. */
import { createResources } from "../agent/compose.ts";
import { createAgentOn } from "../agent/create-agent.ts";
import { EventBus } from "../agent/events.ts";
import type { Config } from "../config/config.ts";
import { createHttpServer } from "./http-server.ts";
import { createRunManager } from "./run-manager.ts";
import type { ServiceLog } from "./service-log.ts";
import type { ServiceContext, ServicePart } from "./service-part.ts";

export interface Service {
  /** Where the HTTP interface listens. */
  readonly url: string;
  /** Stops in order, within `serve.shutdownMs`. */
  stop(): Promise<void>;
}

/** @throws LicetError LEDGER_* */
export async function startService(config: Config, log: ServiceLog): Promise<Service> {
  const bus = new EventBus();
  const resources = createResources(config, bus);
  await resources.ledger("create");
  const agent = createAgentOn(resources, bus);
  const context: ServiceContext = { config, resources, agent, bus, runs: createRunManager(resources), log };
  const parts = createParts(context);
  const app = await createHttpServer(context);
  const url = await app.listen({ host: config.serve.host, port: config.serve.port });
  for (const part of parts) {
    await part.start();
  }
  return {
    url,
    stop: async () => {
      for (const part of parts.toReversed()) {
        await part.stop();
      }
      await context.runs.stop();
      await app.close();
      await agent.close();
    },
  };
}

/** In the order in which they start. */
function createParts(_context: ServiceContext): readonly ServicePart[] {
  return [];
}
