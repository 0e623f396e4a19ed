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
import type { Connection } from "./connection.ts";
import { isEnvironmental, toLedgerError } from "./sqlite-error.ts";

/**
 * How long the first operation of a group waits for company, by the operations of the last group. Under load the wait makes an fsync
 * serve many operations; a caller that is alone would wait for nothing.
 */
const BUSY_WAIT_MS = 10;
const IDLE_WAIT_MS = 1;
const BUSY_GROUP_OPERATIONS = 4;
/** Enough to make one fsync cheap per operation, few enough to bound a transaction. */
export const MAX_GROUP_OPERATIONS = 512;
/** A transaction goes to the log as a whole: half of what the log holds before it is moved into the file (connection.ts). */
export const MAX_GROUP_BYTES = 16 * 1_024 * 1_024;

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
  let pending: Pending[] = [];
  let pendingBytes = 0;
  let isWaiting = false;
  let closed = false;
  let lastGroupOperations = 0;

  function commitPending(): void {
    const group = pending;
    pending = [];
    pendingBytes = 0;
    lastGroupOperations = group.length;
    if (group.length > 0) {
      commitGroup(group, transaction, deps.path);
    }
  }

  /** A group that was committed early (full, or closed) leaves its wait running: it then commits what has come since, or nothing. */
  async function commitSoon(): Promise<void> {
    isWaiting = true;
    await deps.clock.sleep(waitFor(lastGroupOperations));
    isWaiting = false;
    commitPending();
  }

  return {
    write<Result>(operation: () => Result, bytes = 0): Promise<Result> {
      if (closed) {
        return Promise.reject(new LicetError("INTERRUPTED", "the ledger is closed", { details: { path: deps.path } }));
      }
      return new Promise<Result>((resolve, reject) => {
        pending.push({ operation, resolve: resolve as (result: unknown) => void, reject });
        pendingBytes += bytes;
        if (pending.length >= MAX_GROUP_OPERATIONS || pendingBytes >= MAX_GROUP_BYTES) {
          commitPending();
        } else if (!isWaiting) {
          void commitSoon();
        }
      });
    },
    rollBackLeft,
    close() {
      closed = true;
      commitPending();
    },
  };
}

function waitFor(lastOperations: number): number {
  if (lastOperations <= 1) {
    return 0;
  }
  return lastOperations < BUSY_GROUP_OPERATIONS ? IDLE_WAIT_MS : BUSY_WAIT_MS;
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
