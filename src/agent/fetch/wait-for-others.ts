/** Waits while others are buying pages: calls of this process, and runs of any process. */
import type { Ledger } from "../../ledger/ledger.ts";
import type { StageEvents } from "../../pipeline/stage-deps.ts";
import { elapsedMs } from "../../time/clock.ts";
import type { Resources } from "../compose.ts";
import { findDead, finishDeadFetch } from "./dead-fetch.ts";

/** How often another process's purchase is looked at, ms. */
const LOOK_MS = 50;
/** How often the process of the run that has it is looked for, ms. */
const LOOK_FOR_DEAD_MS = 2_000;

export interface Waiting {
  readonly events: StageEvents;
  /** In the time that durations are measured with (`elapsedMs`). */
  readonly until: number;
  readonly signal: AbortSignal;
}

/** True when the call waits for nobody any more. */
export function isOver(
  { clock }: Pick<Resources, "clock">,
  { until, signal }: Pick<Waiting, "until" | "signal">,
): boolean {
  return signal.aborted || elapsedMs(clock) >= until;
}

/** Waits until the calls of this process that have some of the pages are over, or `until`. */
export async function waitForCalls(
  { clock }: Resources,
  others: Promise<void>,
  { until, signal }: Waiting,
): Promise<void> {
  const over = new AbortController();
  const limit = clock.sleep(Math.max(0, until - elapsedMs(clock)), AbortSignal.any([over.signal, signal]));
  await Promise.race([others, limit]);
  over.abort();
}

/** Waits until no run is buying one of the pages, or `until`. What a dead run has is not waited for. */
export async function waitForRuns(
  resources: Resources,
  ledger: Ledger,
  urls: readonly string[],
  waiting: Waiting,
): Promise<void> {
  const { clock } = resources;
  const { events, signal } = waiting;
  const abandoned = new Set<string>();
  let lookForDeadAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const runIds = await findBuyers(ledger, urls, abandoned);
    if (runIds.size === 0 || isOver(resources, waiting)) {
      return;
    }
    if (elapsedMs(clock) >= lookForDeadAt) {
      lookForDeadAt = elapsedMs(clock) + LOOK_FOR_DEAD_MS;
      for (const run of await findDead(resources, ledger, runIds)) {
        if (!(await finishDeadFetch(resources, ledger, { run, events, signal }))) {
          abandoned.add(run.runId);
        }
      }
    }
    await clock.sleep(LOOK_MS, signal);
  }
}

async function findBuyers(ledger: Ledger, urls: readonly string[], abandoned: ReadonlySet<string>) {
  const underWay = await ledger.findUnderWay({ urls });
  return new Set(underWay.map(({ runId }) => runId).filter((runId) => !abandoned.has(runId)));
}
