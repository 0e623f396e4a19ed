/** Every run that is not over, as this machine sees it: one whose process is known to have ended is not alive, whatever its lease says. */
import type { Ledger } from "../../ledger/ledger.ts";
import type { RunWorker, UnfinishedRun } from "../../ledger/run-ledger.ts";
import type { Resources } from "../compose.ts";

type Machine = Pick<Resources, "clock" | "tuning" | "processes">;
type AliveQuery = Pick<RunWorker, "now" | "aliveMs" | "gone">;

/** @returns oldest first. @throws LicetError LEDGER_* */
export async function findUnfinished(machine: Machine, ledger: Ledger): Promise<readonly UnfinishedRun[]> {
  const unfinished = await ledger.listUnfinished(knowingNothing(machine));
  return unfinished.map((run) => (hasEnded(machine, run) ? { ...run, isAlive: false } : run));
}

/** For a question about runs that are alive: with the processes named by the ledger that are known to have ended. @throws LicetError LEDGER_* */
export async function findGone(machine: Machine, ledger: Ledger): Promise<AliveQuery> {
  const query = knowingNothing(machine);
  const unfinished = await ledger.listUnfinished(query);
  return { ...query, gone: unfinished.flatMap((run) => (hasEnded(machine, run) ? [run.process] : [])) };
}

function knowingNothing({ clock, tuning }: Machine): AliveQuery {
  return { now: clock.now(), aliveMs: tuning.pipeline.leaseMs, gone: [] };
}

function hasEnded({ processes }: Machine, run: UnfinishedRun): run is UnfinishedRun & { readonly process: string } {
  return run.process !== null && processes.hasEnded(run.process);
}
