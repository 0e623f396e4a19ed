/** What the operations run on: one connection, the one path of writes, and what a transaction gathers. */
import { LicetError } from "../../errors.ts";
import type { Clock } from "../../time/clock.ts";
import { measureContent } from "../gathering/measure-content.ts";
import { addDecompression } from "./engine/compressed-text.ts";
import type { Connection } from "./engine/connection.ts";
import { createRoomCheck, MIN_FREE_BYTES, type RoomCheck } from "./engine/disk-room.ts";
import { createGroupCommit } from "./engine/group-commit.ts";
import { createLookupRows } from "./engine/lookup-rows.ts";
import { createVersionCheck } from "./engine/migrations.ts";
import { createRunNames, createSiteHosts } from "./engine/row-names.ts";
import { toLedgerError } from "./engine/sqlite-error.ts";
import { createStatements } from "./engine/statements.ts";
import { createBalanceBook } from "./money/balance-book.ts";
import { createBookings, SUM_EVERY } from "./money/bookings.ts";
import { createCounters } from "./money/counters.ts";
import type { ReadTx, Tx } from "./operation.ts";

export interface LedgerCore {
  /** For what is not a statement: pragmas, a copy of the file. Written to only within `write`. */
  readonly db: Connection;
  readonly path: string;
  /** Runs a function in the next group's transaction (group-commit.ts). It may be run again from its beginning. */
  write<Asked extends readonly unknown[], Result>(
    operation: (tx: Tx, ...asked: Asked) => Result,
    ...asked: Asked
  ): Promise<Result>;
  /** Reads what is committed, now. */
  read<Asked extends readonly unknown[], Result>(
    operation: (tx: ReadTx, ...asked: Asked) => Result,
    ...asked: Asked
  ): Promise<Result>;
  /** Asked before money is spent: whether there is room for what it brings. `lookOnce` looks once a group of writes. */
  readonly room: Pick<RoomCheck, "look" | "lookOnce">;
  /** Commits what is under way. */
  close(): void;
}

/**
 * @param minFreeBytes without so much room on the disk nothing is bought
 * @param compressesTexts whether texts of content are written as zstd; they are read either way
 * @param sumEvery so many bookings are added up at once
 */
export function createLedgerCore(
  db: Connection,
  path: string,
  clock: Clock,
  minFreeBytes: number = MIN_FREE_BYTES,
  compressesTexts = false,
  sumEvery: number = SUM_EVERY,
): LedgerCore {
  addDecompression(db, path);
  const { writing, reading } = createStatements(db, path);
  const tx: Tx = {
    ...writing,
    path,
    balances: createBalanceBook(writing),
    bookings: createBookings(writing, sumEvery),
    counters: createCounters(writing),
    compressesTexts,
    lookups: createLookupRows(writing),
    runs: createRunNames(writing),
    hosts: createSiteHosts(writing),
  };
  const { balances, lookups, runs, hosts } = tx;
  const readTx: ReadTx = { ...reading, path, balances, lookups, runs, hosts };
  const room = createRoomCheck(path, minFreeBytes);
  const queue = createGroupCommit({
    db,
    path,
    clock,
    assertVersion: createVersionCheck(db, path),
    flush() {
      room.forget();
      tx.balances.flush();
      tx.counters.flush();
      tx.bookings.discard();
    },
    discard() {
      room.forget();
      for (const gathered of [tx.balances, tx.bookings, tx.counters, tx.lookups, tx.runs, tx.hosts]) {
        gathered.discard();
      }
    },
  });
  return {
    db,
    path,
    write: (operation, ...asked) => queue.write(() => operation(tx, ...asked), measureContent(asked[0])),
    // Groups run without a pause, so between them the connection sees committed rows only.
    async read(operation, ...asked) {
      if (!db.open) {
        throw new LicetError("INTERRUPTED", "the ledger is closed", { details: { path } });
      }
      try {
        // A transaction of a connection that cannot write is a snapshot (thread/snapshot-ledger.ts).
        if (!db.readonly) {
          queue.rollBackLeft();
        }
        return operation(readTx, ...asked);
      } catch (error) {
        throw toLedgerError(error, path);
      }
    },
    room,
    close: queue.close,
  };
}
