/** `licet backup`: a complete copy while others write, and nothing left behind when it fails. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent/create-agent.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

const PAGES = 3;

let world: CliWorld;
let file: string;
beforeEach(async () => {
  world = await createCliWorld({ sites: [newsSite(PAGES)], rates: ONE_PRICE });
  file = join(world.directory, "copy.sqlite");
  await world.cli("run");
});
afterEach(() => world.close());

const UNWRITABLE = { code: 1, value: { error: { code: "BACKUP_UNWRITABLE", hint: expect.any(String) } } };

function count(path: string, from: string): unknown {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare(`SELECT count(*) FROM ${from}`).pluck().get();
  } finally {
    db.close();
  }
}

/** Nothing but what was there before the backup failed. */
function leftBehind(): readonly string[] {
  return readdirSync(world.directory).filter((name) => name.startsWith("copy") || name.startsWith(".licet-"));
}

describe("licet backup", () => {
  test("writes one private file that is a whole, marked ledger", async () => {
    const { code, value } = await world.json("backup", "copy.sqlite");
    expect(code).toBe(0);
    expect(value).toEqual({
      file,
      bytes: statSync(file).size,
      madeAt: expect.stringMatching(/^\d{4}-.*Z$/),
      audit: { ok: true, violations: [] },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(leftBehind()).toEqual(["copy.sqlite"]);
    expect(count(file, "purchase WHERE state = 'settled'")).toBe(PAGES);
    expect(count(file, "ledger_copy WHERE accepted_at IS NULL")).toBe(1);
    expect(count(world.ledgerFile, "ledger_copy")).toBe(0);
  });

  test("contains what another process committed and has not moved into the file yet", async () => {
    const writer = new Database(world.ledgerFile);
    writer.pragma("wal_autocheckpoint = 0");
    writer.exec("UPDATE run SET reason = 'in the log'");
    expect(await world.cli("backup", "copy.sqlite")).toMatchObject({ code: 0 });
    // The other process goes on: it was neither blocked nor closed.
    writer.exec("UPDATE run SET reason = 'later'");
    writer.close();
    expect(count(file, "run WHERE reason = 'in the log'")).toBe(1);
  });

  test("holds no lease of a process that has the ledger: none of them has the copy", async () => {
    const db = new Database(world.ledgerFile);
    db.exec(`UPDATE flusher SET expires_at = 9000000000000;
      INSERT INTO service (id, fence, process, started_at, expires_at) VALUES (1, 1, 'here:1', 1, 9000000000000)`);
    db.close();
    await world.cli("backup", "copy.sqlite");
    expect(count(file, "flusher WHERE expires_at IS NOT NULL")).toBe(0);
    expect(count(file, "service WHERE expires_at IS NOT NULL")).toBe(0);
    expect(count(world.ledgerFile, "service WHERE expires_at IS NOT NULL")).toBe(1);
  });

  test("ends while another process commits without a pause", async () => {
    const writer = new Database(world.ledgerFile);
    writer.exec("CREATE TABLE other (bytes BLOB)");
    const insert = writer.prepare("INSERT INTO other VALUES (zeroblob(100000))");
    for (let row = 0; row < 600; row++) {
      insert.run();
    }
    let commits = 0;
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        insert.run();
        commits += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    // The audit of the copy names the table, which is this test's.
    expect(await world.cli("backup", "copy.sqlite")).toMatchObject({ code: 4 });
    isOver = true;
    await writing;
    writer.close();
    expect(commits).toBeGreaterThan(2);
    expect(Number(count(file, "other"))).toBeLessThan(600 + commits);
  });

  test("does not replace a file, but with --force replaces it when the copy is complete", async () => {
    writeFileSync(file, "precious");
    expect(await world.json("backup", "copy.sqlite")).toMatchObject(UNWRITABLE);
    expect(readFileSync(file, "utf8")).toBe("precious");
    expect(await world.cli("backup", "--force", "copy.sqlite")).toMatchObject({ code: 0 });
    expect(count(file, "run")).toBe(1);
    expect(leftBehind()).toEqual(["copy.sqlite"]);
  });

  test.each(["data/licet.sqlite", "data/licet.sqlite-wal", "./data/../data/licet.sqlite"])(
    "does not replace the ledger itself: %s",
    async (target) => {
      const before = readFileSync(world.ledgerFile);
      expect(await world.json("backup", "--force", target)).toMatchObject({
        code: 2,
        value: { error: { code: "USAGE_INVALID", message: expect.stringContaining("the ledger itself") } },
      });
      expect(readFileSync(world.ledgerFile).equals(before)).toBe(true);
    },
  );

  test("does not replace the ledger under another name of the same file", async () => {
    linkSync(world.ledgerFile, file);
    expect(await world.json("backup", "--force", "copy.sqlite")).toMatchObject({ code: 2 });
  });

  test("refuses a symbolic link, a directory, and a directory that is not there", async () => {
    symlinkSync("elsewhere.sqlite", file);
    mkdirSync(join(world.directory, "copies"));
    for (const target of ["copy.sqlite", "copies", "nowhere/copy.sqlite", "licet.config.yaml/copy.sqlite"]) {
      expect(await world.json("backup", "--force", target), target).toMatchObject(UNWRITABLE);
    }
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(existsSync(join(world.directory, "elsewhere.sqlite"))).toBe(false);
  });

  test("reports a full disk, and leaves nothing behind", async () => {
    const { code, stdout } = await world.limited("ulimit -f 64", "backup", "copy.sqlite");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: expect.stringMatching(/^(DISK_FULL|BACKUP_UNWRITABLE)$/) },
    });
    expect(leftBehind()).toEqual([]);
  });

  test("leaves nothing behind when it is interrupted", async () => {
    const config = await loadConfig({ path: undefined, cwd: world.directory, env: {}, envFile: undefined });
    const agent = createAgent(config);
    await expect(agent.backup(file, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "INTERRUPTED" });
    await agent.close();
    expect(leftBehind()).toEqual([]);
  });

  test("names its process while it copies, and removes what killed ones left, with what SQLite made beside it", async () => {
    const host = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
    const { pid: dead } = spawnSync(process.execPath, ["-e", ""]);
    const left = `.licet-${host}-${dead}-abc-0123456789ab.tmp`;
    const alive = `.licet-${host}-${process.ppid}-abc-0123456789ab.tmp`;
    const older = "copy.sqlite.20261122T041500Z-k3x9ab.partial";
    for (const name of [left, `${left}-journal`, alive, older]) {
      writeFileSync(join(world.directory, name), "paid content");
    }
    const aDayAgo = Date.now() / 1_000 - 90_000;
    utimesSync(join(world.directory, older), aDayAgo, aDayAgo);
    const config = await loadConfig({ path: undefined, cwd: world.directory, env: {}, envFile: undefined });
    const agent = createAgent(config);
    let during: readonly string[] = [];
    await agent.backup(file, {
      onProgress: () => {
        during = leftBehind();
      },
    });
    await agent.close();
    const own = during.filter((name) => name.startsWith(`.licet-${host}-${process.pid}-`) && name.endsWith(".tmp"));
    expect(own).toHaveLength(1);
    expect(new Set(leftBehind())).toEqual(new Set([alive, "copy.sqlite"]));
  });

  test("keeps no copy of a damaged ledger", async () => {
    const db = new Database(world.ledgerFile);
    db.pragma("foreign_keys = OFF");
    db.exec("DELETE FROM page");
    db.close();
    expect(await world.json("backup", "copy.sqlite")).toMatchObject({
      code: 1,
      value: { error: { code: "LEDGER_CORRUPT", message: expect.stringContaining("the copy is damaged") } },
    });
    expect(leftBehind()).toEqual([]);
  });

  test("refuses the ledger of a build before the first release, also as a copy to restore", async () => {
    const older = join(world.directory, "older.sqlite");
    const db = new Database(older);
    db.pragma("application_id = 0x6c696374");
    db.exec("CREATE TABLE run (id integer PRIMARY KEY) STRICT");
    db.close();
    const refused = { code: 1, value: { error: { code: "LEDGER_OLDER", details: { path: older } } } };
    expect(await world.json("restore", older, "--force")).toMatchObject(refused);
    await world.configure({ ledger: { path: older } });
    expect(await world.json("backup", "copy.sqlite")).toMatchObject(refused);
    expect(leftBehind()).toEqual([]);
  });

  test("keeps the copy of a ledger that violates a promise, and says so with exit code 4", async () => {
    const db = new Database(world.ledgerFile);
    db.exec("UPDATE balance SET settled_micros = settled_micros + 1");
    db.close();
    expect(await world.json("backup", "copy.sqlite")).toMatchObject({ code: 4, value: { audit: { ok: false } } });
    expect(leftBehind()).toEqual(["copy.sqlite"]);
  });
});
