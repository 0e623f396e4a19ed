/**
 * Probes the purchases that a run has started and got no answer for, each with its own token. A run does this before it buys
 * anything more, and so does a command for a run that will not continue. Purchases that are only reserved are not touched: a run
 * that another process works on has none (`beginRun`, `cancelRun`).
 */
import { acquire } from "../acquire/acquire.ts";
import type { StageDeps } from "../stage-deps.ts";
import { keepRun } from "../work/keep-run.ts";

/** Batches that are probed at once. */
const MAX_BATCHES = 16;
/** How long to wait for another process to return its batches before the next attempt, ms. */
const LOOK_AGAIN_MS = 250;
const STAGES = ["acquire"] as const;

/** Does the same for a run that this process does not work on otherwise, and keeps the run alive meanwhile. */
export async function probeKept(
  deps: StageDeps,
  run: { readonly runId: string; readonly process: string },
  signal: AbortSignal,
): Promise<boolean> {
  const kept = keepRun(deps, run, signal);
  try {
    return await probeStarted(deps, run, kept.signal);
  } finally {
    kept.stop();
  }
}

/** @returns false when the signal aborted before the end */
export async function probeStarted(
  deps: StageDeps,
  { runId, process }: { readonly runId: string; readonly process: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { ledger, clock, limits } = deps;
  while (!signal.aborted) {
    const leases = await ledger.leaseBatches({
      runId,
      process,
      limit: MAX_BATCHES,
      now: clock.now(),
      leaseMs: limits.leaseMs,
      maxWaitingPages: 0,
      stages: { acquire: MAX_BATCHES },
    });
    if (leases.length > 0) {
      await Promise.all(leases.map(({ leaseId }) => acquire(deps, leaseId, signal)));
      continue;
    }
    const progress = await ledger.readProgress({ runId, process, now: clock.now(), stages: STAGES });
    if (progress.openBatches === 0 || !progress.isRunning) {
      return true;
    }
    const untilReady = progress.nextReadyAt === null ? LOOK_AGAIN_MS : progress.nextReadyAt - clock.now();
    await clock.sleep(Math.max(1, Math.min(LOOK_AGAIN_MS, untilReady)), signal);
  }
  return false;
}
