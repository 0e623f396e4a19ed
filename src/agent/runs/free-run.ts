/**
 * Finishes what a run had started when its process died or it failed, and nothing else of it: what was reserved is released, what was sent is probed with its
 * own tokens. A run that may go on is then left for whoever goes on with it; any other is over.
 */
import type { Ledger } from "../../ledger/ledger.ts";
import { probeKept } from "../../pipeline/probe/probe-started.ts";
import type { StageEvents } from "../../pipeline/stage-deps.ts";
import type { Asker } from "../../run/what-becomes.ts";
import { createStageDeps, type Resources } from "../compose.ts";
import { findWorker } from "./begin-run.ts";

export interface FreedRun {
  readonly released: number;
  readonly probed: number;
}

/** @returns null when the run needs nothing, or another process works on it. @throws LicetError LEDGER_* */
export async function freeRun(
  resources: Resources,
  ledger: Ledger,
  {
    runId,
    asker,
    events,
    signal,
  }: {
    readonly runId: string;
    readonly asker: Asker;
    readonly events: StageEvents;
    readonly signal: AbortSignal;
  },
): Promise<FreedRun | null> {
  const { config, clock, processes } = resources;
  const process = processes.begin();
  try {
    const worker = await findWorker(resources, ledger, process);
    const freed = await ledger.freeRun({ ...worker, runId, asker });
    if (freed === null) {
      return null;
    }
    const { state, released, started } = freed;
    const deps = await createStageDeps(resources, ledger, { sites: config.sites, maxSpend: null, events });
    if (await probeKept(deps, { runId, process }, signal)) {
      const reason = "it was left, and what it had started was finished";
      await ledger.endRun({ runId, state, reason, now: clock.now(), process });
    }
    return { released, probed: started };
  } finally {
    processes.end(process);
  }
}
