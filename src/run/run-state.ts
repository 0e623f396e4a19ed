/** How a run stands, and who ended it last. */

export const RUN_STATES = [
  "running",
  "completed",
  "budget_exhausted",
  "max_pages",
  "max_spend",
  "max_duration",
  "interrupted",
  "cancelled",
  "failed",
] as const;
/** How a run ended; `running` before. A killed run stays `running` until another process takes it over. */
export type RunState = (typeof RUN_STATES)[number];

/** States of runs that keep their frontier, unless a later run took them over. */
export const UNFINISHED_STATES = ["running", "interrupted", "failed"] as const satisfies readonly RunState[];

/** States of runs that a limit of their own ended with work left. */
export const OWN_LIMIT_STATES = ["max_pages", "max_spend", "max_duration"] as const satisfies readonly RunState[];

/** States of runs that a limit ended with work left. They can be resumed too, and then walk again. */
export const LIMITED_STATES = ["budget_exhausted", ...OWN_LIMIT_STATES] as const satisfies readonly RunState[];

export const ENDED_BY = ["nobody", "itself", "person", "service", "death", "run"] as const;
/**
 * Who ended a run last. `nobody`: it has not ended since it last began to work. `itself`: it had nothing left to do, reached a limit, or failed.
 * `person`: somebody stopped or cancelled it, or began a new run instead (`--fresh`). `service`: a service stopped or paused it, and a service
 * goes on with it. `death`: its process died, and another process released what it held. `run`: a later run does its work.
 */
export type EndedBy = (typeof ENDED_BY)[number];

export function isLimited(state: RunState): boolean {
  return (LIMITED_STATES as readonly RunState[]).includes(state);
}

export function isEndedByOwnLimit(state: RunState): boolean {
  return (OWN_LIMIT_STATES as readonly RunState[]).includes(state);
}
