/**
 * Goes on with what the last service left: runs that it stopped in order, and runs of processes that died, whoever started them. It also
 * looks for the dead while the service works, such as a `licet run` that was killed beside it. A run that a person interrupted stays for
 * the person.
 */
import { findWorker } from "../../agent/runs/begin-run.ts";
import { isLicetError } from "../../errors.ts";
import type { UnfinishedRun } from "../../ledger/run-ledger.ts";
import type { ServiceContext, ServicePart } from "../service-part.ts";
import { createTimedTask } from "../timed-tasks/timed-task.ts";
import type { LiveRun } from "./run-manager.ts";

/** How often is looked for runs that died, and for those that could not go on yet. */
const LOOK_MS = 15_000;

/** A run to go on with. `isOver`: another run took it over, so a new run of its sites does its work. */
type Left = Pick<UnfinishedRun, "runId" | "hosts" | "trigger"> & { isOver: boolean };

export function createLeftRuns({
  resources,
  runs,
  log,
}: Pick<ServiceContext, "resources" | "runs" | "log">): ServicePart {
  const { clock } = resources;
  // The interrupted ones of the last service, once. Those that this one stops, such as a webhook run that gives way, have others who care.
  let isFirst = true;
  const left = new Map<string, Left>();
  const underWay = new Set<string>();

  async function look(): Promise<void> {
    const ledger = await resources.ledger("existing");
    const { process: _nobody, ...query } = await findWorker(resources, ledger, "");
    // The newest first: the others of its sites are taken over by it.
    for (const { runId, hosts, trigger, state, isAlive, inService } of (
      await ledger.listUnfinished(query)
    ).toReversed()) {
      const isDead = state === "running" && !isAlive;
      const isStopped = isFirst && state === "interrupted" && inService;
      if ((isDead || isStopped) && !left.has(runId)) {
        left.set(runId, { runId, hosts, trigger, isOver: false });
      }
    }
    isFirst = false;
    for (const run of left.values()) {
      if (!underWay.has(run.runId)) {
        underWay.add(run.runId);
        // It may have to wait for its turn.
        void goOn(run).finally(() => underWay.delete(run.runId));
      }
    }
  }

  async function goOn(run: Left): Promise<void> {
    const { runId, trigger, hosts } = run;
    try {
      const started = await runs.start(
        run.isOver ? { trigger, hosts } : { trigger, hosts: [], options: { resume: runId } },
      );
      if (started.kind === "started") {
        log.info(`run ${runId} of ${hosts.join(", ")} was left, and goes on as ${started.run.runId}`, { runId });
        left.delete(runId);
      } else if (
        started.runId === runId ||
        runs.live().some((live) => doesItsWork(live, { ...run, by: started.runId }))
      ) {
        left.delete(runId);
      }
    } catch (error) {
      if (isLicetError(error, "RUN_NOT_FOUND") && !run.isOver && trigger !== "webhook") {
        // A run that goes on takes over all dead runs, also those of other sites. The hints of a webhook run wait by themselves.
        run.isOver = true;
        await goOn(run);
        return;
      }
      left.delete(runId);
      if (!isLicetError(error, "RUN_NOT_FOUND")) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn(`run ${runId} was left, and cannot go on: ${reason}`, { runId });
      }
    }
  }

  return createTimedTask({ name: "search for runs that were left", everyMs: LOOK_MS, work: look, clock, log });
}

/** A run that walks all sites of a run that was left does its work. */
function doesItsWork(
  live: Pick<LiveRun, "runId" | "hosts" | "trigger">,
  { hosts, by }: Pick<Left, "hosts"> & { readonly by: string | null },
): boolean {
  return live.runId === by && live.trigger !== "webhook" && hosts.every((host) => live.hosts.includes(host));
}
