/** `agent.cancel`: ends a run for good. Reserved purchases are released, started ones are probed. */
import { LicetError } from "../../errors.ts";
import { probeKept } from "../../pipeline/probe/probe-started.ts";
import { createStageDeps, type Resources } from "../compose.ts";
import type { EventBus } from "../events/events.ts";
import { createStageEvents } from "../events/stage-events.ts";
import { findWorker } from "./begin-run.ts";
import { type CancelReport, toRunReport } from "./run-report.ts";

export async function cancelAgent(
  resources: Resources,
  bus: EventBus,
  runId: string,
  signal: AbortSignal,
): Promise<CancelReport> {
  const { config, clock, processes } = resources;
  const ledger = await resources.ledger("existing");
  const process = processes.begin();
  const collected = createStageEvents(bus, clock);
  try {
    const { ended, released, started } = await ledger.cancelRun({
      ...(await findWorker(resources, ledger, process)),
      runId,
    });
    if (!ended) {
      const { events } = collected;
      const deps = await createStageDeps(resources, ledger, { sites: config.sites, maxSpend: null, events });
      const isDone = await probeKept(deps, { runId, process }, signal);
      const state = isDone ? "cancelled" : "interrupted";
      await ledger.endRun({ runId, state, reason: `it was ${state}`, now: clock.now(), process });
    }
    const summary = await ledger.readRun(runId);
    if (summary.state !== "cancelled") {
      throw new LicetError("INTERRUPTED", `run ${runId} is not cancelled yet: ${summary.state}`, {
        hint: `nothing is lost; continue with: licet cancel ${runId}`,
        details: { runId, state: summary.state },
      });
    }
    return {
      ...toRunReport(summary, { warnings: collected.warnings, newLedger: false }, clock.now()),
      released,
      probed: started,
    };
  } finally {
    processes.end(process);
  }
}
