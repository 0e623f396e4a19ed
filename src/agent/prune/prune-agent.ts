/** `agent.prune`: deletes old denials and empty runs, and never a fact. */
import { parseDuration } from "../../time/duration.ts";
import { requireClock } from "../clock/ask-clock.ts";
import type { Resources } from "../compose.ts";
import type { PruneOptions, PruneReport } from "./prune-report.ts";

/** Long enough to explain last quarter's decisions. `licet prune --help` names it too. */
export const DEFAULT_AGE = "90d";

/** @throws LicetError CLOCK_UNSURE */
export async function pruneAgent(
  resources: Resources,
  { olderThan = DEFAULT_AGE, dryRun = false, trustClock = false }: PruneOptions,
): Promise<PruneReport> {
  const ledger = await resources.ledger("existing");
  const ageMs = parseDuration(olderThan);
  const guarded = { refusal: "nothing is pruned", command: "licet prune", trusts: trustClock };
  const now = dryRun ? resources.clock.now() : await requireClock(resources, ledger, guarded);
  const before = now - ageMs;
  const pruned = await ledger.prune({ before, dryRun });
  return { dryRun, before: new Date(before).toISOString(), ...pruned };
}
