/**
 * Fetches whose process died while they were buying, or that failed with a purchase that was sent: the next fetch that buys finishes them, whatever
 * pages it wants. Else what they set aside would count against the budgets for as long as nobody wants their pages.
 */
import { isLicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { probeKept } from "../../pipeline/probe/probe-started.ts";
import type { StageEvents } from "../../pipeline/stage-deps.ts";
import { createStageDeps, type Resources } from "../compose.ts";
import { findWorker } from "../runs/begin-run.ts";

/** Of these runs, those whose process is dead. */
export async function findDeadRuns(
  resources: Resources,
  ledger: Ledger,
  runIds: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const { now, aliveMs, gone } = await findWorker(resources, ledger, "");
  const unfinished = await ledger.listUnfinished({ now, aliveMs, gone });
  return new Set(unfinished.filter((run) => runIds.has(run.runId) && !run.isAlive).map(({ runId }) => runId));
}

interface Finishing {
  readonly events: StageEvents;
  readonly signal: AbortSignal;
}

/** Ends every dead fetch of the ledger. What keeps one from being ended is a warning: it keeps nobody from buying something else. */
export async function finishDeadFetches(resources: Resources, ledger: Ledger, finishing: Finishing): Promise<void> {
  const { now, aliveMs, gone } = await findWorker(resources, ledger, "");
  for (const { runId, isAlive } of await ledger.listUnfinished({ now, aliveMs, gone })) {
    if (isAlive || finishing.signal.aborted) {
      continue;
    }
    try {
      await finishDeadFetch(resources, ledger, { ...finishing, runId });
    } catch (error) {
      if (!isLicetError(error)) {
        throw error;
      }
      finishing.events.warned(`run ${runId} could not be finished: ${error.message}`);
    }
  }
}

/**
 * Ends a dead fetch: what it had only reserved is released, what it had sent is probed with its own tokens. A dead run of another kind is left
 * to the next run, which can go on with it.
 * @returns false when the run is not a fetch
 */
export async function finishDeadFetch(
  resources: Resources,
  ledger: Ledger,
  { runId, events, signal }: Finishing & { readonly runId: string },
): Promise<boolean> {
  if ((await ledger.readIntake(runId))?.source !== "fetch") {
    return false;
  }
  const { config, clock, processes } = resources;
  const process = processes.begin();
  try {
    const { ended, started } = await ledger.cancelRun({ ...(await findWorker(resources, ledger, process)), runId });
    if (ended) {
      return true;
    }
    events.warned(`fetch ${runId} ended unexpectedly: ${started} started pages are probed`);
    const deps = await createStageDeps(resources, ledger, { sites: config.sites, maxSpend: null, events });
    if (await probeKept(deps, { runId, process }, signal)) {
      const reason = "its process died, and a later fetch finished it";
      await ledger.endRun({ runId, state: "cancelled", reason, now: clock.now(), process });
    }
    return true;
  } catch (error) {
    // Another process was faster.
    if (isLicetError(error, "RUN_NOT_FOUND")) {
      return true;
    }
    throw error;
  } finally {
    processes.end(process);
  }
}
