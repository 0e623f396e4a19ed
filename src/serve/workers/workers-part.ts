import type { ServiceContext, ServicePart } from "../service-part.ts";

/** Starts first, because whatever asks the gateway keeps to the share of the service. It stops when the runs have ended (service.ts). */
export function createWorkersPart({ workers, lease }: Pick<ServiceContext, "workers" | "lease">): ServicePart {
  return {
    name: "workers",
    start: async () => {
      // The next service deals all: what this one may ask for ends with its lease, also where it was suspended meanwhile.
      lease.onRenewed((untilMs) => workers.keepUntil(untilMs));
      await workers.start();
    },
    stop: async () => {},
  };
}
