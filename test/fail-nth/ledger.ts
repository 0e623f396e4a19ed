/**
 * A real ledger on a real file that fails where a test says: at a call of the port, or at a statement on the connection. What
 * fails is done or not done on the file as the fault says, so that only the caller's knowledge differs.
 */
import Database from "better-sqlite3";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { type Connection, openConnection } from "../../src/ledger/sqlite/engine/connection.ts";
import { loadMigrations, migrate } from "../../src/ledger/sqlite/engine/migrations.ts";
import { toLedgerError } from "../../src/ledger/sqlite/engine/sqlite-error.ts";
import { createLedgerCore } from "../../src/ledger/sqlite/ledger-core.ts";
import { createSqliteLedger } from "../../src/ledger/sqlite/sqlite-ledger.ts";
import type { Clock } from "../../src/time/clock.ts";
import { type FaultPoint, NO_FAULT } from "./fault.ts";

export interface LedgerFault {
  readonly code: "SQLITE_BUSY" | "SQLITE_FULL" | "SQLITE_IOERR";
  /**
   * `before`: nothing is done. `after`: it is done (committed, where it commits), and the caller sees the error all the same.
   * `undone`: nothing is done, and SQLite has rolled the whole transaction back by itself, as it does on a full disk.
   */
  readonly when: "before" | "after" | "undone";
}

/** Where a ledger fails: `call` of the port, `statement` on the connection. */
export interface LedgerFaults {
  readonly fault: LedgerFault;
  readonly calls: FaultPoint;
  readonly statements: FaultPoint;
}

export const NO_LEDGER_FAULT: LedgerFaults = {
  fault: { code: "SQLITE_BUSY", when: "before" },
  calls: NO_FAULT,
  statements: NO_FAULT,
};

export interface WatchedLedger {
  readonly ledger: Ledger;
  /** Calls under way. */
  pending(): number;
  close(): Promise<void>;
}

/** As `openSqliteLedger` does, over a connection that can fail. A group of writes waits for one turn of the event loop. */
export function openFaultyLedger(path: string, now: () => number, faults: LedgerFaults): WatchedLedger {
  const db = openConnection(path);
  // No process dies here, so nothing must be on the disk: only the answer to licet fails.
  db.pragma("synchronous = OFF");
  const faulty = faults.statements === NO_FAULT ? db : failStatements(db, faults);
  const clock: Clock = { now, sleep: () => new Promise((resolve) => setImmediate(resolve)) };
  let real: Ledger;
  try {
    migrate(faulty, loadMigrations(), path);
    real = createSqliteLedger(createLedgerCore(faulty, path, clock, undefined, undefined, 2));
  } catch (error) {
    db.close();
    throw toLedgerError(error, path);
  }
  let pending = 0;
  const watch = ([name, method]: [string, Method]): [string, Method] => [
    name,
    async (...args) => {
      pending += 1;
      try {
        return await failCall(name, () => method.apply(real, args), path, faults);
      } finally {
        pending -= 1;
      }
    },
  ];
  const methods = Object.entries(real) as [string, Method][];
  const ledger = Object.fromEntries(methods.map(watch)) as unknown as Ledger;
  return {
    ledger,
    pending: () => pending,
    // A process that ends closes its file whatever happened to it.
    close: async () => {
      await real.close().catch(() => {});
      db.close();
    },
  };
}

type Method = (...args: unknown[]) => Promise<unknown>;

async function failCall(
  name: string,
  call: () => Promise<unknown>,
  path: string,
  { fault, calls }: LedgerFaults,
): Promise<unknown> {
  const strikes = calls.strikes(name);
  if (strikes && fault.when !== "after") {
    throw toLedgerError(toSqliteError(fault), path);
  }
  const result = await call();
  if (strikes) {
    throw toLedgerError(toSqliteError(fault), path);
  }
  return result;
}

function toSqliteError({ code }: LedgerFault): Error {
  return new Database.SqliteError(`made to fail (${code})`, code);
}

type Runnable = Record<"run" | "get" | "all" | "iterate", (...args: unknown[]) => unknown>;
const RUNNING = new Set(["run", "get", "all", "iterate"]);

/** The same connection; each statement that runs on it is counted, and fails when it is struck. */
function failStatements(db: Connection, faults: LedgerFaults): Connection {
  const attempt = (sql: string, run: () => unknown): unknown => {
    const { fault } = faults;
    const strikes = faults.statements.strikes(nameStatement(sql));
    if (strikes && fault.when !== "after") {
      if (fault.when === "undone" && db.inTransaction) {
        db.exec("ROLLBACK");
      }
      throw toSqliteError(fault);
    }
    const result = run();
    if (strikes) {
      if (isReading(result)) {
        return failMidway(result, fault);
      }
      throw toSqliteError(fault);
    }
    return result;
  };
  const wrapStatement = (statement: Runnable, sql: string): unknown =>
    new Proxy(statement, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target) as unknown;
        if (typeof member !== "function") {
          return member;
        }
        if (RUNNING.has(String(name))) {
          return (...args: unknown[]) => attempt(sql, () => member.apply(target, args));
        }
        // pluck, raw and the like answer the statement itself.
        return (...args: unknown[]) => {
          const result = member.apply(target, args) as unknown;
          return result === target ? wrapStatement(target, sql) : result;
        };
      },
    });
  return new Proxy(db, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== "function") {
        return member;
      }
      if (name === "prepare") {
        return (sql: string) => wrapStatement(target.prepare(sql) as unknown as Runnable, sql);
      }
      if (name === "exec" || name === "pragma") {
        return (sql: string, ...rest: unknown[]) => attempt(sql, () => member.apply(target, [sql, ...rest]));
      }
      return (...args: unknown[]) => member.apply(target, args);
    },
  });
}

/** True for what `iterate` gives. */
function isReading(result: unknown): result is IterableIterator<unknown> {
  return typeof result === "object" && result !== null && "next" in result;
}

/** Reading row by row fails after the first one, and SQLite ends the statement. */
function* failMidway(rows: IterableIterator<unknown>, fault: LedgerFault): Generator<unknown> {
  for (const row of rows) {
    yield row;
    break;
  }
  throw toSqliteError(fault);
}

/** The beginning of a statement: enough to say in a message which one it was. */
function nameStatement(sql: string): string {
  return sql.trim().replace(/\s+/g, " ").slice(0, 60);
}
