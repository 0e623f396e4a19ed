import type { ServiceContext, ServicePart } from "../service-part.ts";

/** Starts first, because whatever asks the gateway keeps to the share of the service, and stops last: until then workers end what they have under way. */
export function createWorkersPart({ workers }: Pick<ServiceContext, "workers">): ServicePart {
  return {
    name: "workers",
    start: () => workers.start(),
    stop: async () => {},
  };
}
