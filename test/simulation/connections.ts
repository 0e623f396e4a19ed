/**
 * Connections to one ledger file. An ended process passes its connection to the next process, because opening a file and preparing
 * hundreds of statements takes longer than a small world. What a process keeps in memory is outside the connection and ends with
 * the process.
 */
import { type Connection, openConnection } from "../../src/ledger/sqlite/engine/connection.ts";

export interface Connections {
  /** Its `close` gives it back. */
  open(): Connection;
  closeAll(): void;
}

export function createConnections(path: string): Connections {
  const all: (() => void)[] = [];
  const free: (() => Connection)[] = [];
  const create = (): (() => Connection) => {
    const db = openConnection(path);
    // The simulation kills processes, not the machine: what is written is there.
    db.pragma("synchronous = OFF");
    const close = db.close.bind(db);
    const restartPreparing = reusePrepared(db);
    all.push(close);
    const take = () => {
      restartPreparing();
      let isTaken = true;
      db.close = () => {
        if (isTaken) {
          isTaken = false;
          free.push(take);
        }
        return db;
      };
      return db;
    };
    return take;
  };
  return {
    open: () => (free.pop() ?? create())(),
    closeAll: () => {
      for (const close of all) {
        close();
      }
    },
  };
}

/**
 * A statement of an earlier process is found by its text. One ledger may prepare a text several times, for answers of another shape: each of them gets a statement of its
 * own, which answers with rows until it is told otherwise.
 */
function reusePrepared(db: Connection): () => void {
  const prepare = db.prepare.bind(db);
  const prepared = new Map<string, ReturnType<typeof prepare>[]>();
  let taken = new Map<string, number>();
  db.prepare = ((sql: string) => {
    const ofText = prepared.get(sql) ?? [];
    const nth = taken.get(sql) ?? 0;
    const statement = ofText[nth] ?? prepare(sql);
    ofText[nth] = statement;
    prepared.set(sql, ofText);
    taken.set(sql, nth + 1);
    return statement.reader ? statement.raw(false).pluck(false) : statement;
  }) as typeof db.prepare;
  return () => {
    taken = new Map();
  };
}
