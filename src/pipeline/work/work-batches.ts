/**
 * Works on the quote and acquire batches of a small run in this process, without a queue: it leases them and calls their stages. A fetch does
 * this. The run of a crawl has many batches and shares them through the queue (dispatch.ts).
 */
import type { FetchBatchEnd } from "../../ledger/fetch-ledger.ts";
import type { BatchStage, Lease } from "../../ledger/lease-ledger.ts";
import { acquire } from "../acquire/acquire.ts";
import { quote } from "../quote/quote.ts";
import type { StageDeps } from "../stage-deps.ts";
import { joinWrites } from "./joined-writes.ts";

/** Batches that are worked on at once. */
const MAX_BATCHES = 16;
/** How long to wait before the ledger is read again, when it does not say when the next batch is ready, ms. */
const LOOK_AGAIN_MS = 250;

type WorkedStage = Exclude<BatchStage, "walk">;

const WORK: Readonly<Record<WorkedStage, typeof quote>> = { quote, acquire };
const STAGES = Object.keys(WORK) as readonly WorkedStage[];

/** Asked of the ledger for leases of a small run. */
export const SMALL_LEASE = {
  limit: MAX_BATCHES,
  maxWaitingPages: 0,
  stages: { quote: MAX_BATCHES, acquire: MAX_BATCHES },
} as const;

/** A run that has begun with all its pages. */
export interface SmallRun {
  readonly runId: string;
  readonly process: string;
  /** Of its first batches. */
  readonly leases: readonly Lease[];
  /** How it ends when nothing of it is left, by what it has decided. */
  readonly readEnd: () => Promise<NonNullable<FetchBatchEnd["end"]>>;
}

/**
 * Works until every batch of the run is done, or the signal aborts: then what has started is finished, and nothing more is leased.
 * @returns whether the run has ended with its last batch
 * @throws LicetError what ends the whole run. All work under way has ended then
 */
export async function workBatches(
  deps: StageDeps,
  { runId, process, leases: first, readEnd }: SmallRun,
  signal: AbortSignal,
): Promise<boolean> {
  const { ledger, clock, limits } = deps;
  const run = { runId, process };
  const toLease = () => ({ ...run, ...SMALL_LEASE, now: clock.now(), leaseMs: limits.leaseMs });
  const joined = joinWrites(ledger, toLease, readEnd);
  const stageDeps = { ...deps, ledger: joined.ledger };
  for (let leases = first; !signal.aborted; leases = await joined.take()) {
    joined.work(leases);
    const ends = await Promise.allSettled(
      leases.map(({ stage, leaseId }) => WORK[stage as WorkedStage](stageDeps, leaseId, signal)),
    );
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) {
      throw failed.reason;
    }
    if (joined.isEnded()) {
      break;
    }
    if (leases.length > 0) {
      continue;
    }
    const progress = await ledger.readProgress({ ...run, now: clock.now(), stages: STAGES });
    if (progress.openBatches === 0 || !progress.isRunning) {
      break;
    }
    const untilReady = progress.nextReadyAt === null ? LOOK_AGAIN_MS : progress.nextReadyAt - clock.now();
    await clock.sleep(Math.max(1, untilReady), signal);
  }
  return joined.isEnded();
}
