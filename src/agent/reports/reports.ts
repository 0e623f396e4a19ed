/** The calls that only read for people, over a ledger that the caller gives: such as one state of it, for all that one page shows. */

import type { Ledger } from "../../ledger/ledger.ts";
import type { Agent } from "../agent.ts";
import { createAlerting } from "../alerts/alerting.ts";
import { begin, type Call, type CallContext } from "../calls/call.ts";
import { READING_CALLS } from "../calls/reading-calls.ts";
import type { Resources } from "../compose.ts";
import { EventBus } from "../events/events.ts";
import { createPagesUnderWay } from "../fetch/pages-under-way.ts";

export type Reports = Pick<Agent, keyof typeof READING_CALLS>;

/** @param ledger what every call reads from, whatever it would open. It refuses every write */
export function createReports(resources: Resources, ledger: Ledger): Reports {
  const bus = new EventBus();
  const over: Resources = { ...resources, ledger: async () => ledger };
  const context: CallContext = {
    resources: over,
    bus,
    alerting: createAlerting(over, bus),
    underWay: createPagesUnderWay(),
    warn: () => {},
    alone: (run) => run(),
  };
  const calls = Object.entries<Call<Promise<unknown>>>(READING_CALLS).map(([name, declared]) => [
    name,
    async (...given: unknown[]) => begin(name, declared, context, given),
  ]);
  return Object.fromEntries(calls) as Reports;
}
