/**
 * Goes on with what was left: runs that a service stopped in order or lost with its lease, and runs of processes that died, whoever started
 * them. What becomes of each is asked anew at each look (src/run), of the ledger as it is then: nothing is remembered here that a run which
 * must wait for another one could be forgotten in. Each goes on as itself, under its own limits. Of a run that may not go on, such as a fetch,
 * only what it had started is finished.
 */

import { createStageEvents } from "../../agent/events/stage-events.ts";
import { findUnfinished } from "../../agent/runs/find-unfinished.ts";
import { freeRun } from "../../agent/runs/free-run.ts";
import { describeError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { UnfinishedRun } from "../../ledger/run-ledger.ts";
import { whatBecomes } from "../../run/what-becomes.ts";
import type { ServiceContext, ServicePart } from "../service-part.ts";
import { createTimedTask } from "../timed-tasks/timed-task.ts";

/** How often is looked for runs that died. */
const LOOK_MS = 15_000;
/** While one waits: its sites are busy, what it had started is probed by somebody else, or its start is under way. */
const LOOK_AGAIN_MS = 2_000;

type Deps = Pick<ServiceContext, "config" | "resources" | "runs" | "bus" | "log"> & {
  readonly workers: Pick<ServiceContext["workers"], "awaitRuns">;
};

export function createLeftRuns({ config, resources, runs, bus, log, workers }: Deps): ServicePart {
  const { clock } = resources;
  const asker = { by: "service", configured: config.sites.map(({ host }) => host) } as const;
  const stopping = new AbortController();
  const underWay = new Set<string>();
  const finishing = new Set<Promise<void>>();
  const problems = createProblems(log);
  let isAnyWaiting = false;
  /** Until the ledger was asked, one may be. */
  let isAnyLeft = true;
  const hasRuns = () => isAnyLeft || runs.live().length > 0;
  workers.awaitRuns(hasRuns);

  const isAtWork = ({ runId }: UnfinishedRun): boolean => runs.live().some((live) => live.runId === runId);
  const isHere = (run: UnfinishedRun): boolean => underWay.has(run.runId) || isAtWork(run);

  /** Whether a service will work on it. The lease of one that died may not have ended. */
  const isComing = (run: UnfinishedRun): boolean =>
    (run.inService || !run.isAlive) &&
    !problems.isStuck(run) &&
    whatBecomes({ ...run, isAlive: false }, asker).what === "goes_on";

  async function look(): Promise<void> {
    const ledger = await resources.ledger("existing");
    const unfinished = await findUnfinished(resources, ledger);
    problems.keepThoseOf(unfinished);
    const left = unfinished.flatMap((run) => {
      const { what } = whatBecomes(run, asker);
      // A run of this service that pauses is interrupted for an instant.
      return isHere(run) || what === "left" ? [] : [{ run, goesOn: what === "goes_on" }];
    });
    if (!stopping.signal.aborted) {
      // One whose start is under way is not at work yet, and its start may take longer than a look.
      isAnyLeft = unfinished.some((run) => !isAtWork(run) && isComing(run));
    }
    isAnyWaiting = left.length > 0 || isAnyLeft;
    for (const { run, goesOn } of left) {
      underWay.add(run.runId);
      const work = (goesOn ? goOn(run) : finish(ledger, run))
        .catch((error: unknown) => problems.note("cannot go on", run, describeError(error)))
        .finally(() => {
          underWay.delete(run.runId);
          finishing.delete(work);
        });
      if (!goesOn) {
        finishing.add(work);
      }
    }
  }

  /** It may have to wait for its turn. */
  async function goOn(run: UnfinishedRun): Promise<void> {
    const { runId, trigger, hosts } = run;
    const started = await runs.start({ trigger, hosts: [], options: { resume: runId, asker } });
    if (started.kind === "started") {
      problems.forget(run);
      log.info(`run ${runId} of ${hosts.join(", ")} was left, and goes on`, { runId });
    } else {
      problems.note("waits", run, started.detail);
    }
  }

  async function finish(ledger: Ledger, { runId, kind }: UnfinishedRun): Promise<void> {
    const { events } = createStageEvents(bus, clock);
    const freed = await freeRun(resources, ledger, { runId, asker, events, signal: stopping.signal });
    if (freed !== null) {
      const { released, probed } = freed;
      const message = `run ${runId} (${kind}) was left: ${released} reserved pages are released, ${probed} started pages are probed, and nothing more of it is bought`;
      log.info(message, { runId, released, probed });
    }
  }

  const task = createTimedTask({
    name: "search for runs that were left",
    everyMs: () => (isAnyWaiting ? LOOK_AGAIN_MS : LOOK_MS),
    work: look,
    clock,
    log,
  });
  return {
    name: task.name,
    start: () => task.start(),
    // Starts that wait for their turn end with the run manager.
    stop: async () => {
      // What it had is left to the next service.
      isAnyLeft = hasRuns();
      stopping.abort();
      await task.stop();
      await Promise.all(finishing);
    },
  };
}

const LEVELS = { waits: "debug", "cannot go on": "warn" } as const;

interface Problem {
  readonly what: keyof typeof LEVELS;
  readonly reason: string;
}

type Named = Pick<UnfinishedRun, "runId">;

/** What kept each run from going on when it was tried last, so that a reason is logged once. */
function createProblems(log: ServiceContext["log"]) {
  const known = new Map<string, Problem>();
  return {
    note: (what: Problem["what"], { runId }: Named, reason: string): void => {
      const before = known.get(runId);
      if (before?.what !== what || before.reason !== reason) {
        known.set(runId, { what, reason });
        log[LEVELS[what]](`run ${runId} was left, and ${what}: ${reason}`, { runId });
      }
    },
    forget: ({ runId }: Named): void => void known.delete(runId),
    keepThoseOf: (runs: readonly Named[]): void => {
      for (const runId of [...known.keys()].filter((one) => !runs.some((run) => run.runId === one))) {
        known.delete(runId);
      }
    },
    /** An error kept it from going on. */
    isStuck: ({ runId }: Named): boolean => known.get(runId)?.what === "cannot go on",
  };
}
