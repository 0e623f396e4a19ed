/** How ledger, queue, gateway and clock are probed. No probe changes anything, and none costs money. */
import { checkNotBehind } from "../../agent/clock/run-clock.ts";
import type { Resources } from "../../agent/compose.ts";
import { readService } from "../../agent/known-service.ts";
import { isLicetError } from "../../errors.ts";
import { type Dependency, type GatewayTraffic, KEY_REFUSED, type Probe } from "./readiness.ts";
import type { ServiceLease } from "./service-lease.ts";

export function createProbes(
  resources: Resources,
  { lease, traffic }: { readonly lease: ServiceLease; readonly traffic: GatewayTraffic },
): Readonly<Record<Dependency, Probe>> {
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
    gateway: async (signal) => {
      const known = traffic.read();
      if (known !== null) {
        return known;
      }
      const reached = await (await resources.gateway()).reach(signal);
      return reached?.ok && (await isKeyRefused(resources, signal)) ? KEY_REFUSED : reached;
    },
    // @throws CLOCK_BEHIND as each run would
    clock: async () => {
      await checkNotBehind(resources, await resources.ledger("existing"));
      return { ok: true, detail: "the clock is not behind the ledger" };
    },
  };
}

/** A catalog that does not answer in this time says nothing of the key. */
const KEY_CHECK_MS = 1_500;

/** Asks for one entry of a catalog, which costs nothing. Whatever else is answered, the key is not the reason. */
async function isKeyRefused({ config, clock, gateway }: Resources, signal: AbortSignal): Promise<boolean> {
  const host = config.sites[0]?.host;
  if (host === undefined) {
    return false;
  }
  const asked = (await gateway()).listCatalog({ host, pageToken: null, pageSize: 1 }, signal).then(
    () => false,
    (error: unknown) => isLicetError(error, "GATEWAY_UNAUTHORIZED"),
  );
  return Promise.race([asked, clock.sleep(KEY_CHECK_MS, signal).then(() => false)]);
}
