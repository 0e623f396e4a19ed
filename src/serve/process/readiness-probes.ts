/** How ledger, queue, gateway and clock are probed. No probe changes anything, and none costs money. */
import { checkNotBehind } from "../../agent/clock/run-clock.ts";
import type { Resources } from "../../agent/compose.ts";
import { readService } from "../../agent/known-service.ts";
import type { reachGateway } from "../../gateway/reach-gateway.ts";
import type { Dependency, GatewayTraffic, Probe } from "./readiness.ts";
import type { ServiceLease } from "./service-lease.ts";

export function createProbes(
  resources: Resources,
  {
    lease,
    traffic,
    reach,
  }: { readonly lease: ServiceLease; readonly traffic: GatewayTraffic; readonly reach: typeof reachGateway },
): Readonly<Record<Dependency, Probe>> {
  const { gateway } = resources.config;
  return {
    ledger: async () => {
      const ledger = await resources.ledger("existing");
      await readService(resources, ledger);
      await ledger.checkRoom();
      const problem = lease.problem();
      return problem === null
        ? { ok: true, detail: "the ledger can be read and written" }
        : { ok: false, detail: `the ledger cannot be written: ${problem}` };
    },
    queue: async () => {
      const queue = await resources.queue(() => {});
      await queue.depth();
      return { ok: true, detail: "the queue answers" };
    },
    gateway: async (signal) =>
      traffic.read() ?? (await reach({ baseUrl: gateway.baseUrl, userAgent: gateway.userAgent }, signal)),
    // @throws CLOCK_BEHIND as each run would
    clock: async () => {
      await checkNotBehind(resources, await resources.ledger("existing"));
      return { ok: true, detail: "the clock is not behind the ledger" };
    },
  };
}
