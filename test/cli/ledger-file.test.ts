/** Commands over a ledger that does not exist, is new, or is read-only: a wrong path never starts a second ledger. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

const PAGES = 3;
const PAGE = "https://news.example/";
const RUN_ID = "run_0mi5c2k1x8f3a2b4c5d6";
/** Nobody of the machine: what may not be written is what root may write all the same. */
const NOBODY = 65_534;

let world: CliWorld;
beforeEach(async () => {
  world = await createCliWorld({ sites: [newsSite(PAGES)], rates: ONE_PRICE });
});
afterEach(() => world.close());

const MISSING = { code: 1, value: { error: { code: "LEDGER_MISSING", hint: expect.stringContaining("ledger.path") } } };

describe("without a ledger", () => {
  test.each([
    [["status"]],
    [["status", RUN_ID]],
    [["audit"]],
    [["export", "--format", "jsonl", "--out", "out"]],
    [["export", "--format", "markdown", "--out", "out"]],
    [["resolve", "7", "--charged"]],
    [["use", `${PAGE}a`]],
    [["report"]],
    [["run", "--resume"]],
  ])("%j reports it, says what to do, and creates neither file nor directory", async (args) => {
    const before = readdirSync(world.directory);
    expect(await world.json(...args)).toMatchObject(MISSING);
    expect(readdirSync(world.directory)).toEqual(before);
  });

  test("plan works, and leaves no ledger behind", async () => {
    expect(await world.json("plan")).toMatchObject({ code: 0, value: { pages: { approved: PAGES } } });
    expect(existsSync(world.ledgerFile)).toBe(false);
  });

  test("check passes, says that the ledger will be new, and does not create it", async () => {
    const { code, value } = await world.json("check");
    expect(code).toBe(0);
    expect((value as { checks: unknown[] }).checks).toContainEqual(
      expect.objectContaining({ name: "ledger", ok: true, detail: expect.stringMatching(/^new: .*licet\.sqlite/) }),
    );
    expect(existsSync(world.ledgerFile)).toBe(false);
  });

  test("check fails if none can be created", async () => {
    writeFileSync(join(world.directory, "file"), "");
    await world.configure({ ledger: { path: "./file/licet.sqlite" } });
    const { code, value } = await world.json("check");
    expect(code).toBe(1);
    expect((value as { checks: unknown[] }).checks).toContainEqual(
      expect.objectContaining({ name: "ledger", ok: false, hint: expect.any(String) }),
    );
  });

  test("a run with a wrong host creates none", async () => {
    expect(await world.json("run", "other.example")).toMatchObject({ code: 2 });
    expect(existsSync(world.ledgerFile)).toBe(false);
  });

  test("a run creates it and says so first, in text and in JSON; the next run finds it", async () => {
    const first = await world.cli("run");
    expect(first.stderr).toMatch(/^licet: new ledger: nothing was ever recorded in .*licet\.sqlite\n/);
    expect(first.stdout).toMatch(/^Run run_\w+ is complete, the first of a new ledger\n/);
    await world.configure({ ledger: { path: "./data/licet.sqlite", mustExist: true } });
    expect(await world.json("run")).toMatchObject({ code: 0, value: { newLedger: false } });
  });

  test.each([[["run"]], [["plan"]]])("and with ledger.mustExist, %j is an error and creates none", async (args) => {
    await world.configure({ ledger: { path: "./data/licet.sqlite", mustExist: true } });
    expect(await world.json(...args)).toMatchObject(MISSING);
    expect(existsSync(world.ledgerFile)).toBe(false);
  });

  test("and with ledger.mustExist, check fails and names the path", async () => {
    await world.configure({ ledger: { mustExist: true } });
    const { code, stdout } = await world.cli("check");
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL +ledger +there is no ledger: .*licet\.sqlite/);
  });
});

describe.runIf(process.platform === "linux" && process.getuid?.() === 0)("a read-only ledger", () => {
  const asNobody = async (...args: string[]) => {
    const { code, stdout } = await world.startAs(NOBODY, ...args, "--json").result;
    return { code, value: JSON.parse(stdout) as unknown };
  };

  beforeEach(async () => {
    await world.json("run");
    mkdirSync(join(world.directory, "out"));
    chmodSync(join(world.directory, "out"), 0o777);
    chmodSync(world.directory, 0o755);
    chmodSync(join(world.directory, "data"), 0o555);
    chmodSync(world.ledgerFile, 0o444);
  });

  test("is read by every command that only reads, also in a read-only directory; run refuses it", async () => {
    const before = readdirSync(join(world.directory, "data"));
    const exported = join(world.directory, "out", "documents.jsonl");
    expect(await asNobody("status")).toMatchObject({ code: 0, value: { pagesStored: PAGES } });
    expect(await asNobody("audit")).toMatchObject({ code: 0, value: { ok: true, totals: { documents: PAGES } } });
    const month = new Date().toISOString().slice(0, 7);
    expect(await asNobody("statement", "--month", month)).toMatchObject({
      code: 0,
      value: { totals: [{ bought: { pages: PAGES } }] },
    });
    expect(await asNobody("export", "--format", "jsonl", "--out", "out")).toMatchObject({ code: 0 });
    const { url } = JSON.parse(readFileSync(exported, "utf8").split("\n")[0] ?? "") as { url: string };
    expect(await asNobody("explain", url)).toMatchObject({ code: 0, value: { record: { stored: {} } } });
    expect(await asNobody("run")).toMatchObject({ code: 1, value: { error: { code: "LEDGER_UNWRITABLE" } } });
    expect(((await asNobody("check")).value as { checks: unknown[] }).checks).toContainEqual(
      expect.objectContaining({ name: "ledger", ok: false, hint: expect.any(String) }),
    );
    expect(readdirSync(join(world.directory, "data"))).toEqual(before);
    expect(statSync(world.ledgerFile).mode & 0o777).toBe(0o444);
  });

  test("while a run has it open, shows what the run has committed", async () => {
    const writer = new Database(world.ledgerFile);
    try {
      writer.prepare("UPDATE run SET reason = 'seen in the log'").run();
      for (const suffix of ["-wal", "-shm"]) {
        chmodSync(`${world.ledgerFile}${suffix}`, 0o444);
      }
      const { value } = await asNobody("status");
      const [{ runId } = { runId: "" }] = (value as { runs: { runId: string }[] }).runs;
      expect(await asNobody("status", runId)).toMatchObject({ code: 0, value: { reason: "seen in the log" } });
    } finally {
      writer.close();
    }
  });
});
