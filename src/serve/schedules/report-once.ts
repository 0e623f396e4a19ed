/** Reports the uses that wait, once: by the clock, and when the service stops. */
import { createStageDeps, type Resources } from "../../agent/compose.ts";
import type { EventBus } from "../../agent/events/events.ts";
import { createStageEvents } from "../../agent/events/stage-events.ts";
import type { Flushed } from "../../pipeline/report/flush.ts";
import { flushUsage } from "../../pipeline/report/report.ts";

/** What the gateway does not answer stays in the outbox, for the next time: neither waits for a gateway that is away. */
const ATTEMPTS = 0;

/** @throws LicetError LEDGER_* */
export async function reportOnce(resources: Resources, bus: EventBus, signal: AbortSignal): Promise<Flushed> {
  const ledger = await resources.ledger("existing");
  const { events } = createStageEvents(bus, resources.clock);
  const deps = await createStageDeps(resources, ledger, { sites: [], maxSpend: null, events });
  return flushUsage(deps, { attempts: ATTEMPTS, minUses: 1 }, signal);
}
