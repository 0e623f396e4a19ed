/** `agent.report`: flushes the outbox and waits for postponed reports. */
import { flushUsage } from "../../pipeline/report/report.ts";
import type { FlushReport, ReportOptions } from "../agent.ts";
import { createStageDeps, type Resources } from "../compose.ts";
import type { EventBus } from "../events/events.ts";
import { createStageEvents } from "../events/stage-events.ts";

export async function reportAgent(
  resources: Resources,
  bus: EventBus,
  signal: AbortSignal,
  { retryRejected = false }: Pick<ReportOptions, "retryRejected"> = {},
): Promise<FlushReport> {
  const ledger = await resources.ledger("existing");
  const retried = retryRejected ? (await ledger.retryRejected({ now: resources.clock.now() })).uses : 0;
  const { events } = createStageEvents(bus, resources.clock);
  const deps = await createStageDeps(resources, ledger, { sites: [], maxSpend: null, events });
  const flushed = await flushUsage(deps, { attempts: resources.tuning.finalFlushAttempts, minUses: 1 }, signal);
  const { usage, openItems } = await ledger.readStatus();
  return {
    batches: flushed.batches,
    reported: flushed.uses,
    rejectedEntries: flushed.rejectedEntries,
    pending: usage.pending,
    needsReconcile: usage.needsReconcile,
    stopped: flushed.stopped,
    allRefused: flushed.allRefused,
    retried,
    chargedMicros: flushed.charged,
    overBudget: openItems.some(({ kind }) => kind === "over_budget_use"),
  };
}
