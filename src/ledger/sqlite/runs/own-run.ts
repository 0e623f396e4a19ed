/** Whether a run is still the run of the process that asks: another one may have ended it, resumed it or taken it over. */
import type { Tx } from "../operation.ts";

/** Of table `run`, with `@process`. A run that was taken over is its new process's while its started purchases are probed. */
export const IS_OWN = "state = 'running' AND (process IS NULL OR process = @process)";

const SELECT_OWN = `SELECT id FROM run WHERE name = @runId AND ${IS_OWN} AND taken_over_by IS NULL`;

/** The row of a run that this process may buy for. Null: the run is over, another process's, or only probed. */
export function findOwnRun(
  tx: Tx,
  { runId, process }: { readonly runId: string; readonly process: string },
): number | null {
  return tx.value<number>(SELECT_OWN, { runId, process }) ?? null;
}
