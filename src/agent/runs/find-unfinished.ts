/** Every run that is not over, as this machine sees it: one whose process is known to have ended is not alive, whatever its lease says. */
import type { Ledger } from "../../ledger/ledger.ts";
import type { UnfinishedRun } from "../../ledger/run-ledger.ts";
import type { Resources } from "../compose.ts";

/** @returns oldest first. @throws LicetError LEDGER_* */
export async function findUnfinished(
  { clock, tuning, processes }: Pick<Resources, "clock" | "tuning" | "processes">,
  ledger: Ledger,
): Promise<readonly UnfinishedRun[]> {
  const unfinished = await ledger.listUnfinished({ now: clock.now(), aliveMs: tuning.pipeline.leaseMs, gone: [] });
  return unfinished.map((run) =>
    run.process !== null && processes.hasEnded(run.process) ? { ...run, isAlive: false } : run,
  );
}
