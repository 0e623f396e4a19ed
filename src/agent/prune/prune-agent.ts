/** `agent.prune`: deletes old denials and empty runs, and never a fact. */
import { parseDuration } from "../../time/duration.ts";
import { requireClock } from "../clock/ask-clock.ts";
import type { Resources } from "../compose.ts";

/** Long enough to explain last quarter's decisions. `licet prune --help` names it too. */
export const DEFAULT_AGE = "90d";

/** What may go. */
export interface PruneOptions {
  /** A duration such as `30d`. @default "90d" */
  readonly olderThan?: string | undefined;
  /** Reports what would be deleted and deletes nothing. @default false */
  readonly dryRun?: boolean | undefined;
  /** The clock is right, although it differs from the gateway's or is far ahead of the ledger. @throws LicetError CLOCK_UNSURE @default false */
  readonly trustClock?: boolean | undefined;
}

/** `prune --json`. */
export interface PruneReport {
  readonly dryRun: boolean;
  /** Everything older than this was deleted. ISO 8601. */
  readonly before: string;
  readonly denials: number;
  readonly runs: number;
  readonly examples: number;
  /** Slots of schedules. */
  readonly slots: number;
  /** Notifications whose page was decided, or that were ignored. */
  readonly hints: number;
  readonly alerts: number;
}

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
