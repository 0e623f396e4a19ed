/** `agent.prune`: deletes old denials and empty runs, and never a fact. */
import { parseDuration } from "../time/duration.ts";
import type { PruneOptions, PruneReport } from "./agent.ts";
import type { Resources } from "./compose.ts";

/** Long enough to explain last quarter's decisions. `licet prune --help` names it too. */
export const DEFAULT_AGE = "90d";

export async function pruneAgent(
  { clock, ledger }: Resources,
  { olderThan = DEFAULT_AGE, dryRun = false }: PruneOptions,
): Promise<PruneReport> {
  const before = clock.now() - parseDuration(olderThan);
  const pruned = await (await ledger("existing")).prune({ before, dryRun });
  return { dryRun, before: new Date(before).toISOString(), ...pruned };
}
