/** Ledgers that only read, each one state at a time. They live in a thread of their own (snapshots.ts). */
import type { Clock } from "../../../time/clock.ts";
import type { Ledger } from "../../ledger.ts";
import { openReadOnly } from "../engine/read-only.ts";
import { createLedgerCore } from "../ledger-core.ts";
import { type LoadReports, loadReports } from "../reports/reports-on-demand.ts";
import { createSqliteLedger } from "../sqlite-ledger.ts";

/** So many pieces of work read at once, each by a connection of its own: while one waits for the process that asks, another one reads. */
export const PLACES = 8;

export interface SnapshotLedger extends Ledger {
  /** From now on, every read sees the state of now. */
  beginSnapshot(): Promise<void>;
  /** The log of the ledger can be moved into its file again. */
  endSnapshot(): Promise<void>;
}

type Method = (...asked: readonly unknown[]) => Promise<unknown>;

/**
 * All of them as one object, since a channel has one: the methods of each with its place before their names. The reports are loaded before, because
 * a transaction has a limit of time.
 * @throws LicetError as `openSqliteLedger`
 */
export async function openSnapshotLedgers(path: string, clock: Clock): Promise<Ledger> {
  const create = await loadReports();
  const ledgers = Array.from({ length: PLACES }, () => openSnapshotLedger(path, clock, async () => create));
  const methods = ledgers.flatMap((ledger, place) =>
    Object.entries(ledger).map(([name, method]) => [`${place}.${name}`, method]),
  );
  const close = async () => {
    await Promise.all(ledgers.map((ledger) => ledger.close()));
  };
  return { ...Object.fromEntries(methods), close };
}

/** The other side: one ledger for each place, of what calls the channel. */
export function toPlaces(joined: Ledger): readonly SnapshotLedger[] {
  const methods = Object.entries(joined) as [string, Method][];
  return Array.from({ length: PLACES }, (_, place) => {
    const prefix = `${place}.`;
    const own = methods.filter(([name]) => name.startsWith(prefix));
    return Object.fromEntries(
      own.map(([name, method]) => [name.slice(prefix.length), method]),
    ) as unknown as SnapshotLedger;
  });
}

function openSnapshotLedger(path: string, clock: Clock, load: LoadReports): SnapshotLedger {
  const { db, release } = openReadOnly(path);
  const core = createLedgerCore(db, path, clock);
  const ledger = createSqliteLedger(core, load);
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
