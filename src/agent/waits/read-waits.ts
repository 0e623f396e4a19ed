/** What runs and the service wait for, of all processes that are alive. */
import type { Ledger } from "../../ledger/ledger.ts";
import type { KnownWait } from "../../ledger/wait-ledger.ts";
import type { Resources } from "../compose.ts";

/** @param alive which runs are at work, and whether the service is: what dead processes waited for is left out */
export async function readWaits(
  { processes, waits }: Pick<Resources, "processes" | "waits">,
  ledger: Pick<Ledger, "readWaits">,
  alive: { readonly runs: ReadonlySet<string>; readonly service: boolean },
): Promise<readonly KnownWait[]> {
  const known = await ledger.readWaits();
  // Of this process also what could not be written.
  const own = waits.current().map((wait) => ({ ...wait, process: waits.process ?? "" }));
  const others = known.filter(({ process }) => process !== waits.process && !processes.hasEnded(process));
  return [...others, ...own]
    .filter(({ runId }) => (runId === null ? alive.service : alive.runs.has(runId)))
    .sort((a, b) => a.since - b.since);
}
