/**
 * A run with the runs whose work it took over (`superseded`): their limits went over to it, so what all of them have reserved, spent and bought
 * counts together. A run that was only freed, cleared, or given up for a new one (`--fresh`) is in no chain but its own.
 */
import type { Connection } from "../engine/connection.ts";

/** Of a run `@id`: its own row, and those of its predecessors. The index `run_successor` serves it. */
const CHAIN = `WITH RECURSIVE chain (id) AS (VALUES (@id)
  UNION SELECT r.id FROM chain c JOIN run r ON r.taken_over_by = c.id WHERE r.kind = 'walk' AND r.ended_by = 'run')`;

export interface RunChain {
  /** The row and the name of each, the run itself first. */
  read(runRowId: number): readonly { readonly id: number; readonly name: string }[];
  /** The time that the predecessors of a run worked, ms. */
  workedMs(runRowId: number): number;
}

export function createRunChain(db: Connection): RunChain {
  const select = db.prepare<{ id: number }, { id: number; name: string }>(
    `${CHAIN} SELECT r.id, r.name FROM chain c JOIN run r ON r.id = c.id ORDER BY r.id = @id DESC, r.id`,
  );
  const sumWorked = db
    .prepare<{ id: number }, number>(
      // A predecessor has an end, or was resumed when its successor began to probe what it had started.
      `${CHAIN} SELECT coalesce(sum(r.worked_ms + max(0, coalesce(r.ended_at, r.resumed_at, r.started_at) - coalesce(r.resumed_at, r.started_at))), 0)
       FROM chain c JOIN run r ON r.id = c.id WHERE r.id <> @id`,
    )
    .pluck();
  return {
    read: (id) => select.all({ id }),
    workedMs: (id) => sumWorked.get({ id }) ?? 0,
  };
}
