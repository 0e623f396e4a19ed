import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openSqliteLedger } from "../../../src/ledger/sqlite/open.ts";
import { leaseMany, readTotal, reserve, toSpec } from "../../doubles/ledger-steps.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "licet-open-"));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
});

function pathOf(name = "licet.sqlite"): string {
  return join(directory, name);
}

/** Changes the file as another program would. */
function withFile<Result>(path: string, work: (db: Database.Database) => Result): Result {
  const db = new Database(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

describe("opening a ledger", () => {
  it("creates the directory and a file that only its owner can read, log included", async () => {
    const path = join(directory, "deep", "er", "licet.sqlite");
    const ledger = await openSqliteLedger({ path });
    await ledger.createRun(toSpec());
    for (const suffix of ["", "-wal", "-shm"]) {
      expect(statSync(`${path}${suffix}`).mode & 0o777, suffix).toBe(0o600);
    }
    await ledger.close();
  });

  it("commits durably, through a log", async () => {
    const path = pathOf();
    const ledger = await openSqliteLedger({ path });
    await ledger.close();
    expect(withFile(path, (db) => db.pragma("journal_mode", { simple: true }))).toBe("wal");
  });

  it("finds everything again after it was closed", async () => {
    const path = pathOf();
    const first = await openSqliteLedger({ path });
    await reserve(first, ["/a"]);
    await first.close();
    const second = await openSqliteLedger({ path });
    expect(await leaseMany(second)).toMatchObject([{ stage: "acquire" }]);
    expect(await readTotal(second)).toMatchObject({
      reservedMicros: 10_000,
    });
    await second.close();
  });

  it("refuses work after it was closed, without a crash", async () => {
    const ledger = await openSqliteLedger({ path: pathOf() });
    await ledger.close();
    await expect(ledger.createRun(toSpec())).rejects.toThrow();
    await ledger.close();
  });

  it("lets two processes open a new ledger at once", async () => {
    const path = pathOf();
    const [a, b] = await Promise.all([openSqliteLedger({ path }), openSqliteLedger({ path })]);
    await a?.createRun(toSpec());
    expect(await b?.listUnfinished({ now: 0, aliveMs: 1, gone: [] })).toMatchObject([{ runId: "run_1" }]);
    await a?.close();
    await b?.close();
  });

  it("refuses a ledger of a newer licet and does not change it", async () => {
    const path = pathOf();
    await (await openSqliteLedger({ path })).close();
    withFile(path, (db) => db.pragma("user_version = 999"));
    await expect(openSqliteLedger({ path })).rejects.toMatchObject({ code: "LEDGER_NEWER", details: { version: 999 } });
    expect(withFile(path, (db) => db.pragma("user_version", { simple: true }))).toBe(999);
  });

  it.each(["create", "existing", "read"] as const)(
    "refuses to open the ledger of a build before the first release (%s), names the way out, and does not change it",
    async (access) => {
      for (const version of [1, 17]) {
        const path = pathOf(`${version}.sqlite`);
        withFile(path, (db) => {
          db.pragma("application_id = 0x6c696374");
          db.pragma(`user_version = ${version}`);
          db.exec(
            "CREATE TABLE run (id integer PRIMARY KEY, name text NOT NULL) STRICT; INSERT INTO run VALUES (1, 'run_1')",
          );
        });
        const before = readFileSync(path);
        await expect(openSqliteLedger({ path, access })).rejects.toMatchObject({
          code: "LEDGER_OLDER",
          hint: expect.stringContaining("`licet export`"),
          details: { path },
        });
        expect(readFileSync(path).equals(before)).toBe(true);
        expect(readdirSync(directory).filter((name) => /-(?:wal|shm)$/.test(name))).toEqual([]);
      }
    },
  );

  it("refuses another program's database and does not change it", async () => {
    const path = pathOf();
    withFile(path, (db) => db.exec("CREATE TABLE theirs (x)"));
    await expect(openSqliteLedger({ path })).rejects.toMatchObject({ code: "LEDGER_CORRUPT" });
    expect(withFile(path, (db) => db.prepare("SELECT name FROM sqlite_schema").pluck().all())).toEqual(["theirs"]);
  });

  it("refuses a file that is not a database", async () => {
    const path = pathOf();
    writeFileSync(path, "not a database, but long enough to have what would be a header\n".repeat(100));
    await expect(openSqliteLedger({ path })).rejects.toMatchObject({ code: "LEDGER_CORRUPT", details: { path } });
  });

  it("refuses a damaged ledger with a hint and without a stack trace", async () => {
    const path = pathOf();
    await (await openSqliteLedger({ path })).close();
    const { size } = statSync(path);
    withFile(path, (db) => db.pragma("journal_mode = DELETE"));
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(size - 100, 0xa5), 0, size - 100, 100);
    closeSync(file);
    await expect(openSqliteLedger({ path })).rejects.toMatchObject({
      code: "LEDGER_CORRUPT",
      hint: expect.stringContaining("backup"),
    });
  });

  it("says that a directory is not a ledger", async () => {
    mkdirSync(pathOf());
    await expect(openSqliteLedger({ path: pathOf() })).rejects.toMatchObject({ code: "LEDGER_UNWRITABLE" });
  });

  it.skipIf(process.getuid?.() === 0)("reports missing write permission", async () => {
    chmodSync(directory, 0o500);
    await expect(openSqliteLedger({ path: pathOf() })).rejects.toMatchObject({
      code: "LEDGER_UNWRITABLE",
      details: { path: pathOf() },
    });
    chmodSync(directory, 0o700);
  });
});
