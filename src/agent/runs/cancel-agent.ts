/** `agent.cancel`: ends a run for good. Reserved purchases are released, started ones are probed. */
import type { ActedBy } from "../../act/act.ts";
import { isLicetError, LicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { probeKept } from "../../pipeline/probe/probe-started.ts";
import { type ActingOptions, toActedBy } from "../acts/acted-by.ts";
import { createStageDeps, type Resources } from "../compose.ts";
import type { EventBus } from "../events/events.ts";
import { createStageEvents } from "../events/stage-events.ts";
import { findWorker } from "./begin-run.ts";
import { findUnfinished } from "./find-unfinished.ts";
import { type CancelReport, toRunReport } from "./run-report.ts";

/** How long to wait before the next look at a run that another process cancels, ms. */
const TRY_AGAIN_MS = 250;

/** How a run is cancelled. */
export interface CancelOptions extends ActingOptions {
  readonly signal?: AbortSignal | undefined;
}

type Cancelled = Pick<CancelReport, "released" | "probed">;

export async function cancelAgent(
  resources: Resources,
  bus: EventBus,
  runId: string,
  { signal = new AbortController().signal, ...acting }: CancelOptions,
): Promise<CancelReport> {
  const { clock, processes } = resources;
  const ledger = await resources.ledger("existing");
  const process = processes.begin();
  const collected = createStageEvents(bus, clock);
  try {
    const who = toActedBy(resources, acting);
    const cancelling = { runId, process, events: collected.events, who, signal };
    const cancelled = await cancelUntilOver(resources, ledger, cancelling);
    const summary = await ledger.readRun(runId);
    return {
      ...toRunReport(summary, { warnings: collected.warnings, newLedger: false }, clock.now()),
      ...cancelled,
    };
  } finally {
    processes.end(process);
  }
}

interface Cancelling {
  readonly runId: string;
  readonly process: string;
  readonly events: ReturnType<typeof createStageEvents>["events"];
  readonly who: ActedBy;
  readonly signal: AbortSignal;
}

/**
 * Another process may take the run meanwhile, such as one that cancels it too, or a service that frees it of what it holds. What was started is
 * then finished there, and the next attempt finds less of it.
 * @throws LicetError what kept the run from being cancelled. Its message says when the run is stopped all the same
 */
async function cancelUntilOver(
  resources: Resources,
  ledger: Ledger,
  { runId, process, events, who, signal }: Cancelling,
): Promise<Cancelled> {
  const { config, clock } = resources;
  const attempt = async () => ledger.cancelRun({ ...(await findWorker(resources, ledger, process)), runId, who });
  const first = await attempt();
  let { ended, released } = first;
  try {
    const deps = ended
      ? null
      : await createStageDeps(resources, ledger, { sites: config.sites, maxSpend: null, events });
    while (deps !== null && !ended) {
      await probeKept(deps, { runId, process }, signal);
      if (signal.aborted) {
        await ledger.endRun({ runId, state: "interrupted", reason: "it was interrupted", now: clock.now(), process });
        throw new LicetError("INTERRUPTED", "it was interrupted", { details: { runId, state: "interrupted" } });
      }
      if (!(await isCancelledElsewhere(resources, ledger, { runId, process }))) {
        const again = await attempt();
        ended = again.ended;
        released += again.released;
      }
      if (!ended) {
        await clock.sleep(TRY_AGAIN_MS, signal);
      }
    }
  } catch (error) {
    // A person stopped the run by this, and nobody goes on with it.
    const hint = `Nothing more of it is bought, and what it had started is kept. Continue with: licet cancel ${runId}`;
    throw isLicetError(error) ? notCancelled(error, `run ${runId} is stopped`, hint) : error;
  }
  return { released, probed: first.started };
}

/** Two that cancel one run would take it from each other for ever: the one that took it last goes on, and the other one waits for it. */
async function isCancelledElsewhere(
  resources: Resources,
  ledger: Ledger,
  { runId, process }: Pick<Cancelling, "runId" | "process">,
): Promise<boolean> {
  const run = (await findUnfinished(resources, ledger)).find((one) => one.runId === runId);
  return run?.isAlive === true && run.process !== process && run.endedBy === "person";
}

/** The answer must not say that nothing happened. @param what came of the run all the same */
export function notCancelled(error: LicetError, what: string, hint: string): LicetError {
  return new LicetError(error.code, `${what}, and not cancelled yet: ${error.message}`, {
    hint,
    details: error.details,
    cause: error,
  });
}
