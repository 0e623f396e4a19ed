/** `licet audit` over files that are not ledgers, and over damaged ledgers: a clear message, exit code 1, and never a stack trace. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { auditLedger } from "../../src/ledger/sqlite/audit/audit-ledger.ts";
import { cliHere } from "../doubles/cli-here.ts";
import { cliConfig, writeConfig } from "../doubles/cli-process.ts";
import { createLedgerBytes } from "./audited-world.ts";
import { SCENARIOS } from "./scenarios.ts";

const PAGE_BYTES = 8_192;

let whole: Buffer;
let directory: string;
let file: string;
beforeAll(async () => {
  whole = await createLedgerBytes(SCENARIOS[0]?.fill ?? (async () => undefined));
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "licet-damaged-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, "data"));
  file = join(directory, "data", "licet.sqlite");
  await writeConfig(directory, cliConfig("http://127.0.0.1:9"));
});

const audit = (...args: string[]) => cliHere(["audit", ...args], { cwd: directory });

/** Says the same to people and to programs. */
async function expectError(code: string, words: RegExp): Promise<void> {
  const said = await audit();
  expect(said).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(words) });
  expect(said.stderr).toMatch(/^licet: .+\n {2}hint: .+\n$/);
  const forPrograms = await audit("--json");
  expect(forPrograms).toMatchObject({ code: 1, stderr: "" });
  expect(JSON.parse(forPrograms.stdout)).toMatchObject({ error: { code, message: expect.stringMatching(words) } });
}

describe("licet audit", () => {
  test("prints one document and exits with 0 for a correct ledger", async () => {
    writeFileSync(file, whole);
    const { code, stdout, stderr } = await audit("--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(Object.keys(JSON.parse(stdout))).toEqual(["ok", "violations", "openItems", "totals"]);
  });

  test("prints one document and exits with 1 for a ledger with a violation", async () => {
    writeFileSync(file, whole);
    const db = new Database(file);
    db.exec("UPDATE balance SET settled_micros = settled_micros + 1");
    db.close();
    const { code, stdout } = await audit("--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      violations: expect.arrayContaining([{ promise: 1, detail: expect.stringContaining("settledMicros") }]),
    });
    expect(await audit()).toMatchObject({ code: 1, stdout: expect.stringMatching(/^\d+ violated:\n/), stderr: "" });
  });

  test("reports a missing file, and creates none", async () => {
    await expectError("LEDGER_MISSING", /there is no ledger/);
    expect(() => statSync(file)).toThrow("ENOENT");
  });

  test.each(["", "x"])("reports the empty file %j, and does not change it", async (bytes) => {
    // SQLite takes a single byte for nothing, too.
    writeFileSync(file, bytes);
    await expectError("LEDGER_CORRUPT", /the ledger is empty/);
    expect(readFileSync(file, "utf8")).toBe(bytes);
  });

  test.each([
    ["text", "date,amount\n2026-11-20,12\n".repeat(500)],
    ["zeros", Buffer.alloc(65_536)],
  ])("reports that %s is not a ledger, and does not change it", async (_name, bytes) => {
    writeFileSync(file, bytes, { mode: 0o644 });
    await expectError("LEDGER_CORRUPT", /the file is not a ledger/);
    expect(readFileSync(file).equals(Buffer.from(bytes))).toBe(true);
  });

  test("does not change another program's database, nor its permissions", async () => {
    const other = new Database(file);
    other.exec("CREATE TABLE song (title TEXT); INSERT INTO song VALUES ('one')");
    other.close();
    chmodSync(file, 0o644);
    const before = readFileSync(file);
    await expectError("LEDGER_CORRUPT", /not a ledger/);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  test("reports the ledger of a newer licet", async () => {
    writeFileSync(file, whole);
    const db = new Database(file);
    db.pragma("user_version = 99");
    db.close();
    await expectError("LEDGER_NEWER", /written by a newer licet/);
  });

  test("reports that it cannot open a directory", async () => {
    mkdirSync(file);
    await expectError("LEDGER_UNWRITABLE", /cannot be opened/);
  });

  // Whoever may do anything may write there too.
  test.skipIf(process.getuid?.() === 0)("reports a read-only file", async () => {
    writeFileSync(file, whole, { mode: 0o400 });
    await expectError("LEDGER_UNWRITABLE", /cannot be opened for writing/);
  });

  test.each(["content", "purchase", "run_site", "flusher"])("reports the missing table %s", async (table) => {
    writeFileSync(file, whole);
    const db = new Database(file);
    db.pragma("foreign_keys = OFF");
    db.exec(`DROP TABLE ${table}`);
    db.close();
    await expectError("LEDGER_CORRUPT", new RegExp(`tables are damaged \\(no such table: (main\\.)?${table}\\)`));
  });

  test.each([PAGE_BYTES, 3 * PAGE_BYTES + 17, 20 * PAGE_BYTES])(
    "reports a ledger that was cut off after %d bytes",
    async (bytes) => {
      writeFileSync(file, whole.subarray(0, bytes));
      const { code, stdout, stderr } = await audit("--json");
      expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
      const said = JSON.parse(stdout) as { ok?: boolean; error?: { code: string } };
      expect(said.ok === false || said.error?.code === "LEDGER_CORRUPT").toBe(true);
    },
  );
});

describe("the audit", () => {
  test("notices each torn page", () => {
    const silent: number[] = [];
    const full = withoutFreePages(whole);
    for (let start = 0; start < full.length; start += PAGE_BYTES) {
      const torn = Buffer.from(full);
      // After the file's own header, on the first page.
      const from = start === 0 ? 100 : start;
      for (let at = from; at < from + 100; at++) {
        torn[at] = 255 - (torn[at] ?? 0);
      }
      const db = new Database(torn);
      if (isFoundInOrder(db)) {
        silent.push(start / PAGE_BYTES);
      }
      db.close();
    }
    expect(silent).toEqual([]);
  });
});

/** Without its first page a file cannot be read at all. */
function isFoundInOrder(db: Database.Database): boolean {
  try {
    return auditLedger(db, { budgets: [], now: 0 }, () => []).ok;
  } catch (error) {
    expect(error).toMatchObject({ code: "SQLITE_CORRUPT" });
    return false;
  }
}

/** A page that a migration freed has nothing that could be damaged. */
function withoutFreePages(bytes: Buffer): Buffer {
  const db = new Database(bytes);
  db.exec("VACUUM");
  const full = db.serialize();
  db.close();
  return full;
}
