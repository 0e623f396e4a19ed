/**
 * Group commit: the one path of every write. Operations are enqueued as closures; those of a few milliseconds run one after the other
 * in one `BEGIN IMMEDIATE` transaction with one fsync, and their promises resolve when it is on disk.
 *
 * An operation must be re-runnable: when one of a group throws, the whole transaction is rolled back and each runs again in
 * one of its own, so that only the culprit fails. It must not await, and must not keep state outside the database except in
 * what `discard` empties.
 */
import { LicetError } from "../../../errors.ts";
import type { Clock } from "../../../time/clock.ts";
import { createGathering } from "../../gathering/gathering.ts";
import type { Connection } from "./connection.ts";
import { isEnvironmental, toLedgerError } from "./sqlite-error.ts";

export interface GroupCommit {
  /**
   * Resolves with the operation's result once it is durable.
   * @param bytes that it writes, as far as they are many. @default 0
   */
  write<Result>(operation: () => Result, bytes?: number): Promise<Result>;
  /** Rolls back a group that could not be rolled back when it failed: until then its rows can be read. */
  rollBackLeft(): void;
  /** Commits what is enqueued; later writes are refused. */
  close(): void;
}

export interface GroupCommitDeps {
  readonly db: Connection;
  readonly path: string;
  readonly clock: Pick<Clock, "sleep">;
  /** Called in each transaction, before its operations. @throws LicetError LEDGER_NEWER */
  readonly assertVersion: () => void;
  /** Writes what the operations have gathered in memory, within their transaction. */
  readonly flush: () => void;
  /** Forgets what operations gathered or cached in a transaction that was rolled back. */
  readonly discard: () => void;
}

interface Pending {
  readonly operation: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function createGroupCommit(deps: GroupCommitDeps): GroupCommit {
  const rollBackLeft = createRollback(deps.db);
  const transaction = createTransaction(deps, rollBackLeft);
  const gathering = createGathering<Pending>(deps.clock, (group) => commitGroup(group, transaction, deps.path));
  let closed = false;
  return {
    write<Result>(operation: () => Result, bytes?: number): Promise<Result> {
      if (closed) {
        return Promise.reject(new LicetError("INTERRUPTED", "the ledger is closed", { details: { path: deps.path } }));
      }
      return new Promise<Result>((resolve, reject) => {
        gathering.add({ operation, resolve: resolve as (result: unknown) => void, reject }, bytes);
      });
    },
    rollBackLeft,
    close() {
      closed = true;
      gathering.takeNow();
    },
  };
}

function commitGroup(
  group: readonly Pending[],
  transaction: (operations: readonly Pending[]) => unknown[],
  path: string,
): void {
  let results: unknown[];
  try {
    results = transaction(group);
  } catch (error) {
    if (group.length > 1 && !isEnvironmental(error)) {
      for (const one of group) {
        commitGroup([one], transaction, path);
      }
    } else {
      const reason = toLedgerError(error, path);
      for (const { reject } of group) {
        reject(reason);
      }
    }
    return;
  }
  for (const [index, { resolve }] of group.entries()) {
    resolve(results[index]);
  }
}

/** Runs operations in one transaction, all or none. */
function createTransaction(
  { db, assertVersion, flush, discard }: GroupCommitDeps,
  rollBackLeft: () => void,
): (operations: readonly Pending[]) => unknown[] {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  return (operations) => {
    try {
      rollBackLeft();
      begin.run();
      assertVersion();
      const results = operations.map(({ operation }) => operation());
      flush();
      commit.run();
      return results;
    } catch (error) {
      // Before the rollback, which may fail as well: what was gathered must not be written with the next group.
      discard();
      try {
        rollBackLeft();
      } catch {
        // Whoever comes next tries again; what went wrong first is what the caller must hear.
      }
      throw error;
    }
  };
}

/** Ends a transaction that is still open. A full disk makes SQLite do so by itself. */
function createRollback(db: Connection): () => void {
  const rollback = db.prepare("ROLLBACK");
  return () => {
    if (db.inTransaction) {
      rollback.run();
    }
  };
}
