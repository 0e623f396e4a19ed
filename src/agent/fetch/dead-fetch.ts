/**
 * Fetches whose process died while they were buying, or that failed with a purchase that was sent: the next fetch that buys finishes them, whatever
 * pages it wants. Else what they set aside would count against the budgets for as long as nobody wants their pages. What becomes of each is asked
 * like of any run that was left (src/run): a dead run of another kind is left to whoever can go on with it.
 */
import { isLicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { UnfinishedRun } from "../../ledger/run-ledger.ts";
import type { StageEvents } from "../../pipeline/stage-deps.ts";
import { type Asker, whatBecomes } from "../../run/what-becomes.ts";
import type { Resources } from "../compose.ts";
import { findUnfinished } from "../runs/find-unfinished.ts";
import { freeRun } from "../runs/free-run.ts";

const ASKER: Asker = { by: "fetch" };

interface Finishing {
  readonly events: StageEvents;
  readonly signal: AbortSignal;
}

/** Of these runs, those whose process is dead. */
export async function findDead(
  resources: Resources,
  ledger: Ledger,
  runIds: ReadonlySet<string>,
): Promise<readonly UnfinishedRun[]> {
  const unfinished = await findUnfinished(resources, ledger);
  return unfinished.filter((run) => runIds.has(run.runId) && !run.isAlive);
}

/** Ends every dead fetch of the ledger. */
export async function finishDeadFetches(resources: Resources, ledger: Ledger, finishing: Finishing): Promise<void> {
  for (const run of await findUnfinished(resources, ledger)) {
    if (!finishing.signal.aborted) {
      await finishDeadFetch(resources, ledger, { ...finishing, run });
    }
  }
}

/**
 * Ends a dead fetch: what it had only reserved is released, what it had sent is probed with its own tokens. What keeps it from being ended is a
 * warning: it keeps nobody from buying something else.
 * @returns whether it is ended, or another process ends it now
 */
export async function finishDeadFetch(
  resources: Resources,
  ledger: Ledger,
  { run, events, signal }: Finishing & { readonly run: UnfinishedRun },
): Promise<boolean> {
  if (whatBecomes(run, ASKER).what !== "cleared") {
    return false;
  }
  const { runId } = run;
  try {
    const freed = await freeRun(resources, ledger, { runId, asker: ASKER, events, signal });
    if (freed !== null) {
      const how = run.state === "failed" ? "had failed" : "ended unexpectedly";
      const { released, probed } = freed;
      events.warned(
        `fetch ${runId} ${how}: ${released} reserved pages are released, ${probed} started pages are probed`,
      );
    }
    return true;
  } catch (error) {
    if (!isLicetError(error)) {
      throw error;
    }
    events.warned(`fetch ${runId} could not be finished: ${error.message}`);
    return false;
  }
}
