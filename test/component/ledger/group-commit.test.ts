import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { MAX_GATHERED, MAX_GATHERED_BYTES } from "../../../src/ledger/gathering/gathering.ts";
import { createGroupCommit, type GroupCommit } from "../../../src/ledger/sqlite/engine/group-commit.ts";
import { systemClock } from "../../../src/time/clock.ts";

interface Bench {
  readonly queue: GroupCommit;
  readonly db: Database.Database;
  readonly path: string;
  /** How often the queue wrote what operations gathered, and forgot it. */
  readonly calls: { flushed: number; discarded: number };
}

function createBench(): Bench {
  const directory = mkdtempSync(join(tmpdir(), "licet-queue-"));
  const path = join(directory, "queue.sqlite");
  const db = new Database(path, { timeout: 0 });
  db.pragma("journal_mode = WAL");
  db.exec("CREATE TABLE entry (value INTEGER UNIQUE) STRICT");
  const calls = { flushed: 0, discarded: 0 };
  const queue = createGroupCommit({
    assertVersion: () => {},
    db,
    path,
    clock: systemClock,
    flush: () => {
      calls.flushed += 1;
    },
    discard: () => {
      calls.discarded += 1;
    },
  });
  onTestFinished(() => {
    db.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { queue, db, path, calls };
}

/** A queue on the same connection, whose first runs of these statements fail with the disk. */
function failToPrepared(db: Database.Database, statements: string[]): Pick<Bench, "queue" | "calls"> {
  const calls = { flushed: 0, discarded: 0 };
  const failing = new Proxy(db, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target) as unknown;
      if (name !== "prepare") {
        return typeof member === "function" ? member.bind(target) : member;
      }
      return (sql: string) => {
        const statement = target.prepare(sql);
        return {
          run: () => {
            if (statements.includes(sql)) {
              statements.splice(statements.indexOf(sql), 1);
              throw new Database.SqliteError("disk I/O error", "SQLITE_IOERR");
            }
            return statement.run();
          },
        };
      };
    },
  });
  const queue = createGroupCommit({
    assertVersion: () => {},
    db: failing,
    path: "queue.sqlite",
    clock: systemClock,
    flush: () => {
      calls.flushed += 1;
    },
    discard: () => {
      calls.discarded += 1;
    },
  });
  return { queue, calls };
}

function add({ db }: Bench, value: number): () => number {
  return () => db.prepare("INSERT INTO entry VALUES (?)").run(value).changes;
}

function readAll({ db }: Bench): number[] {
  return db.prepare<[], number>("SELECT value FROM entry ORDER BY rowid").pluck().all();
}

describe("group commit", () => {
  it("commits the operations of a few milliseconds together, in order, each with its result", async () => {
    const bench = createBench();
    const results = await Promise.all([3, 1, 2].map((value) => bench.queue.write(() => [add(bench, value)(), value])));
    expect(results).toEqual([
      [1, 3],
      [1, 1],
      [1, 2],
    ]);
    expect(readAll(bench)).toEqual([3, 1, 2]);
    expect(bench.calls).toEqual({ flushed: 1, discarded: 0 });
  });

  it("fails only the failing operation and commits the others of its group", async () => {
    const bench = createBench();
    const outcomes = await Promise.allSettled([1, 2, 1, 3].map((value) => bench.queue.write(add(bench, value))));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(readAll(bench)).toEqual([1, 2, 3]);
  });

  it("continues after a group whose rollback failed, and writes nothing of the group", async () => {
    const bench = createBench();
    const failing = failToPrepared(bench.db, ["COMMIT", "ROLLBACK"]);
    await expect(failing.queue.write(add(bench, 1))).rejects.toMatchObject({ code: "LEDGER_UNWRITABLE" });
    expect(bench.db.inTransaction).toBe(true);
    expect(failing.calls.discarded).toBe(1);
    await failing.queue.write(add(bench, 2));
    expect(readAll(bench)).toEqual([2]);
  });

  it("leaves nothing of an operation that throws half-way", async () => {
    const bench = createBench();
    const failing = bench.queue.write(() => {
      add(bench, 1)();
      throw new Error("half-way");
    });
    await expect(failing).rejects.toThrow("half-way");
    expect(readAll(bench)).toEqual([]);
    expect(bench.calls).toEqual({ flushed: 0, discarded: 1 });
  });

  it("writes what operations collected within their own transaction, and nothing of it where that fails", async () => {
    const bench = createBench();
    const gathered: number[] = [];
    const queue = createGroupCommit({
      assertVersion: () => {},
      db: bench.db,
      path: bench.path,
      clock: systemClock,
      flush: () => {
        for (const value of gathered.splice(0)) {
          add(bench, value)();
        }
      },
      discard: () => {
        gathered.length = 0;
      },
    });
    await queue.write(() => gathered.push(7));
    const failing = queue.write(() => {
      add(bench, 1)();
      gathered.push(8, 7);
    });
    await expect(failing).rejects.toThrow(/UNIQUE/);
    await queue.write(add(bench, 2));
    expect(readAll(bench)).toEqual([7, 2]);
  });

  it("starts a new group at the limit of its size", async () => {
    const bench = createBench();
    await Promise.all(Array.from({ length: MAX_GATHERED * 2 + 1 }, (_, value) => bench.queue.write(add(bench, value))));
    expect(bench.calls.flushed).toBe(3);
    expect(readAll(bench)).toHaveLength(MAX_GATHERED * 2 + 1);
  });

  it("starts a new group when the operations write many bytes", async () => {
    const bench = createBench();
    const bytes = MAX_GATHERED_BYTES / 2;
    await Promise.all([1, 2, 3, 4, 5].map((value) => bench.queue.write(add(bench, value), bytes)));
    expect(bench.calls.flushed).toBe(3);
    expect(readAll(bench)).toEqual([1, 2, 3, 4, 5]);
  });

  it("commits enqueued operations when it is closed, and refuses later ones", async () => {
    const bench = createBench();
    const enqueued = bench.queue.write(add(bench, 1));
    bench.queue.close();
    expect(readAll(bench)).toEqual([1]);
    await expect(enqueued).resolves.toBe(1);
    await expect(bench.queue.write(add(bench, 2))).rejects.toMatchObject({ code: "INTERRUPTED" });
  });

  it("fails the whole group once when another process holds the lock, and continues afterwards", async () => {
    const bench = createBench();
    const other = new Database(bench.path);
    onTestFinished(() => {
      other.close();
    });
    other.exec("BEGIN IMMEDIATE");
    const outcomes = await Promise.allSettled([1, 2].map((value) => bench.queue.write(add(bench, value))));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: "rejected",
        reason: { code: "LEDGER_LOCKED", details: { path: bench.path } },
      });
    }
    other.exec("COMMIT");
    await bench.queue.write(add(bench, 3));
    expect(readAll(bench)).toEqual([3]);
  });
});
