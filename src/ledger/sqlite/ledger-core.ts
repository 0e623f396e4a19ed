/**
 * What every operation is built on: one connection, the one path of writes, and what is gathered per transaction.
 * An operation stands in the room of its part of the port; it prepares its statements once and returns the port's method:
 * `export function createDecide(core: LedgerCore): Ledger["decide"]`.
 */
import { LicetError } from "../../errors.ts";
import type { Clock } from "../../time/clock.ts";
import type { Connection } from "./engine/connection.ts";
import { createRoomCheck, MIN_FREE_BYTES } from "./engine/disk-room.ts";
import { createGroupCommit } from "./engine/group-commit.ts";
import { createLookupRows, type LookupRows } from "./engine/lookup-rows.ts";
import { createRunNames, createSiteHosts, type RunNames, type SiteHosts } from "./engine/row-names.ts";
import { toLedgerError } from "./engine/sqlite-error.ts";
import { type BalanceBook, createBalanceBook } from "./money/balance-book.ts";
import { createRunCounters, type RunCounters } from "./runs/run-counters.ts";

export interface LedgerCore {
  /** For preparing statements. Written to only within `write`. */
  readonly db: Connection;
  readonly path: string;
  /** Runs a re-runnable, synchronous operation in the next group's transaction (group-commit.ts). */
  write<Result>(operation: () => Result): Promise<Result>;
  /** Reads what is committed, now. */
  read<Result>(operation: () => Result): Promise<Result>;
  readonly balances: BalanceBook;
  readonly counters: RunCounters;
  readonly lookups: LookupRows;
  readonly runs: RunNames;
  readonly hosts: SiteHosts;
  /** Before money is spent. @throws LicetError DISK_FULL when there may be no room for what it brings */
  assertRoom(): void;
  /** Commits what is under way. */
  close(): void;
}

/** @param minFreeBytes without so much room on the disk nothing is bought */
export function createLedgerCore(
  db: Connection,
  path: string,
  clock: Clock,
  minFreeBytes: number = MIN_FREE_BYTES,
): LedgerCore {
  const balances = createBalanceBook(db);
  const counters = createRunCounters(db);
  const lookups = createLookupRows(db);
  const runs = createRunNames(db);
  const hosts = createSiteHosts(db);
  const queue = createGroupCommit({
    db,
    path,
    clock,
    flush() {
      balances.flush();
      counters.flush();
    },
    discard() {
      for (const gathered of [balances, counters, lookups, runs, hosts]) {
        gathered.discard();
      }
    },
  });
  return {
    db,
    path,
    balances,
    counters,
    lookups,
    runs,
    hosts,
    write: queue.write,
    // Groups run without a pause, so between them the connection sees committed rows only.
    async read(operation) {
      if (!db.open) {
        throw new LicetError("INTERRUPTED", "the ledger is closed", { details: { path } });
      }
      try {
        queue.rollBackLeft();
        return operation();
      } catch (error) {
        throw toLedgerError(error, path);
      }
    },
    assertRoom: createRoomCheck(path, minFreeBytes),
    close: queue.close,
  };
}
