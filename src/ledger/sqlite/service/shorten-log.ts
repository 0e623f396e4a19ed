import { BUSY_TIMEOUT_MS } from "../engine/connection.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { Answered } from "../operation.ts";

/**
 * Moves the write-ahead log into the file and empties it, outside of any transaction. It never waits: a reader or a writer of another process only makes it do less,
 * and the next call does the rest.
 */
export function shortenLog({ db, read }: LedgerCore): Promise<Answered<"shortenLog">> {
  return read(() => {
    // A checkpoint that empties the log waits for readers, and this thread would wait with it.
    db.pragma("busy_timeout = 0");
    try {
      const [row] = db.pragma("wal_checkpoint(TRUNCATE)") as { busy: number; log: number }[];
      return { emptied: row !== undefined && row.busy === 0 };
    } finally {
      db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  });
}
