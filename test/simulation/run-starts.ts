/** What the checkers need to know of a run that has begun, or goes on. */
import type { RunLimits } from "./checks/evidence.ts";

interface Begins {
  readonly runStarts: Map<string, number>;
  readonly runLimits: Map<string, readonly RunLimits[]>;
}

/** @param beside whether another process is alive, which may have been told other limits of the same run */
export function noteBegun(
  { runStarts, runLimits }: Begins,
  said: RunLimits & { readonly runId: string },
  { now, beside }: { readonly now: number; readonly beside: boolean },
): void {
  const { runId } = said;
  runStarts.set(runId, runStarts.get(runId) ?? now);
  const before = runLimits.get(runId) ?? [];
  const maxPages = said.maxPages ?? before.at(-1)?.maxPages ?? null;
  const maxSpend = said.maxSpend ?? before.at(-1)?.maxSpend ?? null;
  // The run that began or went on last is the last one of the map.
  runLimits.delete(runId);
  runLimits.set(runId, [...(beside ? before : []), { maxPages, maxSpend }]);
}
