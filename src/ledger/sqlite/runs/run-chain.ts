/**
 * A run with the runs whose work it took over (`superseded`): their limits went over to it, so what all of them have reserved, spent and bought
 * counts together. A run that was only freed, cleared, or given up for a new one (`--fresh`) is in no chain but its own.
 */
import type { ReadTx } from "../operation.ts";

/** Of a run `@id`: its own row, and those of its predecessors. The index `run_successor` serves it. */
const CHAIN = `WITH RECURSIVE chain (id) AS (VALUES (@id)
  UNION SELECT r.id FROM chain c JOIN run r ON r.taken_over_by = c.id WHERE r.kind = 'walk' AND r.ended_by = 'run')`;

const SELECT_CHAIN = `${CHAIN} SELECT r.id, r.name FROM chain c JOIN run r ON r.id = c.id ORDER BY r.id = @id DESC, r.id`;

// A predecessor has an end, or was resumed when its successor began to probe what it had started.
const SUM_WORKED = `${CHAIN} SELECT coalesce(sum(r.worked_ms + max(0, coalesce(r.ended_at, r.resumed_at, r.started_at) - coalesce(r.resumed_at, r.started_at))), 0)
  FROM chain c JOIN run r ON r.id = c.id WHERE r.id <> @id`;

/** The row and the name of each, the run itself first. */
export function readRunChain(tx: ReadTx, id: number): readonly { readonly id: number; readonly name: string }[] {
  return tx.all<{ id: number; name: string }>(SELECT_CHAIN, { id });
}

/** The time that the predecessors of a run worked, ms. */
export function readChainWorkedMs(tx: ReadTx, id: number): number {
  return tx.value<number>(SUM_WORKED, { id }) ?? 0;
}
