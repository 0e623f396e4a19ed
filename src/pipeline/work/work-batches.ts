/**
 * Works on the quote and acquire batches of a small run in this process, without a queue: it leases them and calls their stages. A fetch does
 * this. The run of a crawl has many batches and shares them through the queue (dispatch.ts).
 */
import type { BatchStage } from "../../ledger/lease-ledger.ts";
import { acquire } from "../acquire/acquire.ts";
import { quote } from "../quote/quote.ts";
import type { StageDeps } from "../stage-deps.ts";

/** Batches that are worked on at once. */
const MAX_BATCHES = 16;
/** How long to wait before the ledger is read again, when it does not say when the next batch is ready, ms. */
const LOOK_AGAIN_MS = 250;

type WorkedStage = Exclude<BatchStage, "walk">;

const WORK: Readonly<Record<WorkedStage, typeof quote>> = { quote, acquire };
const STAGES = Object.keys(WORK) as readonly WorkedStage[];

/**
 * Works until every batch of the run is done, or the signal aborts: then what has started is finished, and nothing more is leased.
 * @throws LicetError what ends the whole run. All work under way has ended then
 */
export async function workBatches(
  deps: StageDeps,
  run: { readonly runId: string; readonly process: string },
  signal: AbortSignal,
): Promise<void> {
  const { ledger, clock, limits } = deps;
  while (!signal.aborted) {
    const leases = await ledger.leaseBatches({
      ...run,
      limit: MAX_BATCHES,
      now: clock.now(),
      leaseMs: limits.leaseMs,
      maxWaitingPages: 0,
      stages: STAGES,
    });
    if (leases.length > 0) {
      const ends = await Promise.allSettled(
        leases.map(({ stage, leaseId }) => WORK[stage as WorkedStage](deps, leaseId, signal)),
      );
      const failed = ends.find((end) => end.status === "rejected");
      if (failed !== undefined) {
        throw failed.reason;
      }
      continue;
    }
    const progress = await ledger.readProgress({ ...run, now: clock.now(), stages: STAGES });
    if (progress.openBatches === 0 || !progress.isRunning) {
      return;
    }
    const untilReady = progress.nextReadyAt === null ? LOOK_AGAIN_MS : progress.nextReadyAt - clock.now();
    await clock.sleep(Math.max(1, untilReady), signal);
  }
}
