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

/** A ledger prepares the same statements in the same order each time: the nth one is reused where it is the same. */
function reusePrepared(db: Connection): () => void {
  const prepare = db.prepare.bind(db);
  const prepared: ReturnType<typeof prepare>[] = [];
  let next = 0;
  db.prepare = ((sql: string) => {
    const reused = prepared[next];
    const statement = reused?.source === sql ? reused : prepare(sql);
    prepared[next] = statement;
    next += 1;
    return statement;
  }) as typeof db.prepare;
  return () => {
    next = 0;
  };
}
