/**
 * Starts the webhook runs. The receiver and the reading of delivery records wake it; the ledger says which sites have hints to decide. It
 * gathers hints for a moment, so that a publisher who changes a hundred pages makes one run and a few requests for rates. Every hint is on
 * disk: whatever this part misses, its next look finds.
 */
import { describeError, isLicetError } from "../../errors.ts";
import { type HintWork, LONGEST_HINT_WAIT_MS } from "../../ledger/hint-ledger.ts";
import { isWaitOver } from "../../time/wait-end.ts";
import type { RunEnd, RunManager } from "../runs/run-manager.ts";
import type { ServiceContext, ServicePart } from "../service-part.ts";
import { createTimedTask } from "../timed-tasks/timed-task.ts";
import { createSitePauses, type SitePauses } from "./site-pauses.ts";

/** How long hints are gathered after the first one. */
const GATHER_MS = 1_000;
/** The longest time between two looks into the ledger: hints may have come by another way, or their pause is over. */
const LOOK_MS = 30_000;
const BUSY_PAUSE_MS = 5_000;
const FAILED_LOOK_MS = 2_000;

type Deps = Pick<ServiceContext, "config" | "resources" | "runs" | "log" | "hintSignal">;

export function createWebhookRuns({ config, resources, runs, log, hintSignal }: Deps): ServicePart {
  const { clock } = resources;
  const pauses = createSitePauses({ clock, log });
  const hosts = new Set(config.sites.map(({ host }) => host));
  const atWork = new Set<string>();
  let woken = false;
  let pauseMs = LOOK_MS;
  let ignoreWakes = () => {};

  /** Starts what is due. @returns how long nothing more is, ms */
  async function look(): Promise<number> {
    const ledger = await resources.ledger("existing");
    const now = clock.now();
    const open = (await ledger.readHintWork()).filter(({ host }) => hosts.has(host) && !atWork.has(host));
    let waitMs = LOOK_MS;
    for (const { host, nextAt } of open) {
      // Hints that have entered a run and are here are of a run that died, or that another process works on.
      const isWaiting = nextAt !== null && !isWaitOver(nextAt, { now, longestMs: LONGEST_HINT_WAIT_MS });
      const dueAt = Math.max(pauses.until(host), isWaiting ? nextAt : now);
      if (dueAt > now) {
        waitMs = Math.min(waitMs, dueAt - now);
        continue;
      }
      atWork.add(host);
      void workSite(runs, { host, pauses, log }).finally(() => {
        atWork.delete(host);
        // What came while it worked, or is left over.
        wake();
      });
    }
    return waitMs;
  }

  const task = createTimedTask({
    name: "look for notifications",
    everyMs: () => pauseMs,
    work: async (signal) => {
      if (woken) {
        await clock.sleep(GATHER_MS, signal);
        woken = false;
      }
      if (signal.aborted) {
        return;
      }
      pauseMs = FAILED_LOOK_MS;
      pauseMs = await look();
    },
    clock,
    log,
  });
  const wake = () => {
    // While hints are gathered, further ones wait for the same look.
    if (!woken) {
      woken = true;
      task.wake();
    }
  };

  return {
    name: "webhook runs",
    start: async () => {
      ignoreWakes = hintSignal.onWake(wake);
      await task.start();
    },
    // The run manager stops the runs themselves.
    stop: async () => {
      ignoreWakes();
      await task.stop();
    },
  };
}

interface Site {
  readonly host: HintWork["host"];
  readonly pauses: SitePauses;
  readonly log: ServiceContext["log"];
}

/** Works on the hints of one site once. Never throws. */
async function workSite(runs: RunManager, { host, pauses, log }: Site): Promise<void> {
  try {
    const started = await runs.start({ trigger: "webhook", hosts: [host] });
    if (started.kind === "busy") {
      // Not a failure: the hints wait for the end of the other run.
      pauses.pause(host, BUSY_PAUSE_MS);
      log.debug(`the webhook run of ${host} waits: ${started.detail}`, { host, runId: started.runId });
      return;
    }
    const trouble = describeTrouble(await started.run.ended);
    if (trouble === null) {
      pauses.succeed(host);
    } else {
      pauses.fail(host, trouble);
    }
  } catch (error) {
    if (isLicetError(error, "RUN_NOT_FOUND")) {
      log.warn(`${error.message}. ${error.hint ?? ""}`.trim(), { host });
      pauses.pauseToMidnight(host);
      return;
    }
    pauses.fail(host, `could not begin: ${describeError(error)}`);
  }
}

/** null: the run decided what it admitted, or it was stopped in order and goes on. */
function describeTrouble(end: RunEnd): string | null {
  if (end.kind === "failed") {
    return `failed: ${end.error.message}`;
  }
  const { state, reason, sites } = end.report;
  const stopped = sites.find(({ stop }) => stop !== null);
  if (stopped !== undefined) {
    return `could not decide everything: ${stopped.stopDetail ?? stopped.stop}`;
  }
  return state === "completed" || state === "interrupted" ? null : `ended as ${state}: ${reason ?? "no reason"}`;
}
