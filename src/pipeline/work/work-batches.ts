/**
 * Works on the quote and acquire batches of a small run in this process, without a queue: it leases them and calls their stages. A fetch does
 * this. The run of a crawl has many batches and shares them through the queue (dispatch.ts).
 */
import type { BatchStage, Lease } from "../../ledger/lease-ledger.ts";
import type { Ledger } from "../../ledger/ledger.ts";
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
 *
 * Somebody waits, and each commit is a wait for the disk. So the next leases are asked for together with the write that ends a stage, in one
 * commit with it.
 * @param before is written in the commit of the first leases
 * @throws LicetError what ends the whole run. All work under way has ended then
 */
export async function workBatches(
  deps: StageDeps,
  run: { readonly runId: string; readonly process: string },
  before: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, clock, limits } = deps;
  const lease = () =>
    ledger.leaseBatches({
      ...run,
      limit: MAX_BATCHES,
      now: clock.now(),
      leaseMs: limits.leaseMs,
      maxWaitingPages: 0,
      stages: STAGES,
    });
  const joined = joinLeases(ledger, lease);
  const stageDeps = { ...deps, ledger: joined.ledger };
  const [, first] = await Promise.all([before(), lease()]);
  for (let leases = first; !signal.aborted; leases = await joined.taken()) {
    const ends = await Promise.allSettled(
      leases.map(({ stage, leaseId }) => WORK[stage as WorkedStage](stageDeps, leaseId, signal)),
    );
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) {
      throw failed.reason;
    }
    if (leases.length > 0) {
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

/** A ledger that asks for the next leases with each write that ends a stage. `taken` resolves with what they brought, or with new ones. */
function joinLeases(ledger: Ledger, lease: () => Promise<readonly Lease[]>) {
  const asked: Promise<readonly Lease[]>[] = [];
  const withLease = <Result>(written: Promise<Result>): Promise<Result> => {
    const leasing = lease();
    // When the stage fails too, nobody asks what was leased: the end of the run gives it back.
    leasing.catch(() => {});
    asked.push(leasing);
    return written;
  };
  const joined: Pick<Ledger, "decide" | "finishAcquireBatch"> = {
    decide: (batch) => withLease(ledger.decide(batch)),
    finishAcquireBatch: (leaseId) => withLease(ledger.finishAcquireBatch(leaseId)),
  };
  return {
    ledger: new Proxy(ledger, {
      get: (target, name) => Reflect.get(name in joined ? joined : target, name),
    }),
    taken: async () => (asked.length === 0 ? lease() : (await Promise.all(asked.splice(0))).flat()),
  };
}
