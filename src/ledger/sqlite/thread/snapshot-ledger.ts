/** A ledger that only reads, one state of it at a time. It lives in a thread of its own (snapshots.ts). */
import type { Clock } from "../../../time/clock.ts";
import type { Ledger } from "../../ledger.ts";
import { openReadOnly } from "../engine/read-only.ts";
import { createLedgerCore } from "../ledger-core.ts";
import { createSqliteLedger } from "../sqlite-ledger.ts";

export interface SnapshotLedger extends Ledger {
  /** From now on, every read sees the state of now. */
  beginSnapshot(): Promise<void>;
  /** The log of the ledger can be moved into its file again. */
  endSnapshot(): Promise<void>;
}

/** @throws LicetError as `openSqliteLedger` */
export function openSnapshotLedger(path: string, clock: Clock): SnapshotLedger {
  const { db, release } = openReadOnly(path);
  const core = createLedgerCore(db, path, clock);
  const ledger = createSqliteLedger(core);
  return {
    ...ledger,
    async beginSnapshot() {
      db.exec("BEGIN");
      // The first read fixes the state.
      await core.read((tx) => tx.has("SELECT 1 FROM sqlite_schema"));
    },
    async endSnapshot() {
      if (db.inTransaction) {
        db.exec("COMMIT");
      }
    },
    async close() {
      await ledger.close();
      release();
    },
  };
}
