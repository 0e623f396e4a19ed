import type { KnownWait } from "../../wait-ledger.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";

/** Writes: wait. A second call writes the same. */
export function writeWaits(tx: Tx, { process, waits }: Asked<"writeWaits">): void {
  tx.run`DELETE FROM wait WHERE process = ${process}`;
  for (const { runId, place, code, message, hint, since, until } of waits) {
    const runRowId = runId === null ? null : tx.runs.idOf(runId);
    if (runId === null || runRowId !== null) {
      tx.run`INSERT INTO wait (process, run_id, place, code, message, hint, since, until)
        VALUES (${process}, ${runRowId}, ${place}, ${code}, ${message}, ${hint}, ${since}, ${until})`;
    }
  }
}

/** Of a run that another process works on now, or of the service before (`null`). Called within a write. */
export function clearWaits(tx: Tx, runRowId: number | null): void {
  tx.run("DELETE FROM wait WHERE run_id IS ?", runRowId);
}

// One row for each wait of the present, and for one that a dead process left.
const SELECT_WAITS = `SELECT w.process, w.place, r.name AS runId, w.code, w.message, w.hint, w.since, w.until
  FROM wait w LEFT JOIN run r ON r.id = w.run_id ORDER BY w.since, w.id`;

/** Reads: wait, and the names of its runs. */
export function readWaits(tx: ReadTx): Answered<"readWaits"> {
  return tx.all<KnownWait>(SELECT_WAITS);
}
