/** `licet restore`: a copy that is used again buys and reports nothing by itself. Compared with the gateway's own account. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { copyFile, rename } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startCliHere } from "../doubles/cli-here.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { ISO } from "../doubles/iso-instant.ts";

const PAGES = 6;
/** Bought before the copy. */
const EARLY = 2;
/** A process that has ended. */
const { pid: DEAD } = spawnSync(process.execPath, ["-e", ""]);

let world: CliWorld;
beforeEach(async () => {
  world = await createCliWorld({ sites: [newsSite(PAGES)], rates: ONE_PRICE });
});
afterEach(() => world.close());

const RESTORED = {
  code: 1,
  value: { error: { code: "LEDGER_RESTORED", hint: expect.stringContaining("licet restore --accept") } },
};

interface StatusLike {
  readonly copy: { readonly madeAt: string; readonly acceptedAt: string | null } | null;
  readonly openItems: readonly { readonly kind: string; readonly batchId: number }[];
  readonly inDoubt: readonly { readonly url: string; readonly reason: string }[];
}

const readStatus = async () => (await world.json("status")).value as StatusLike;
const charges = () => world.sandbox.audit().charges.map(({ url }) => url);
const reported = () =>
  world.sandbox
    .audit()
    .uses.map(({ url, times }) => `${url} ${times}`)
    .toSorted();
const countStarted = () => {
  if (!existsSync(world.ledgerFile)) {
    return 0;
  }
  const db = new Database(world.ledgerFile, { readonly: true });
  try {
    return Number(db.prepare("SELECT count(*) FROM purchase WHERE state = 'started'").pluck().get());
  } catch {
    // Its tables are being made.
    return 0;
  } finally {
    db.close();
  }
};

/** A ledger with two pages and unreported uses, its copy, and then a day of work of the ledger that is lost. */
async function loseLedger(): Promise<{ readonly url: string }> {
  await world.cli("run", "--max-pages", String(EARLY));
  const [url = ""] = charges();
  await world.cli("use", url, "--times", "3");
  expect(await world.cli("backup", "copy.sqlite")).toMatchObject({ code: 0 });
  await world.cli("report");
  await world.cli("run", "--fresh");
  expect(charges()).toHaveLength(PAGES);
  rmSync(join(world.directory, "data"), { recursive: true });
  return { url };
}

describe("a restored ledger", () => {
  test("refuses every change and can be read, until a person accepts it", async () => {
    const { url } = await loseLedger();
    expect(await world.json("restore", "copy.sqlite")).toMatchObject({
      code: 0,
      value: { path: world.ledgerFile, movedTo: null, accepted: false, audit: { ok: true } },
    });
    const before = { charges: charges().length, uses: reported() };
    for (const args of [
      ["run"],
      ["plan"],
      ["report"],
      ["use", url],
      ["resolve", "1", "--charged"],
      ["cancel", "run_1"],
      ["prune"],
      ["serve"],
      ["restore", "--accept"],
    ]) {
      expect(await world.json(...args), args.join(" ")).toMatchObject(RESTORED);
    }
    for (const args of [
      ["status"],
      ["audit"],
      ["runs"],
      ["explain", url],
      ["export", "--format", "jsonl", "--out", "out"],
    ]) {
      const { code, stderr } = await world.json(...args);
      expect({ code, stderr }, args.join(" ")).toEqual({ code: 0, stderr: expect.stringContaining("is a copy from") });
    }
    expect(await world.json("check")).toMatchObject({ code: 1 });
    expect({ charges: charges().length, uses: reported() }).toEqual(before);
  });

  test("sends nothing that the lost ledger may have sent, and charges no page twice but those that it does not know", async () => {
    await loseLedger();
    const first = charges();
    const uses = reported();
    await world.cli("restore", "copy.sqlite");
    const { code, value } = await world.json("restore", "--accept", "--yes");
    expect(code).toBe(0);
    expect(value).toMatchObject({ accepted: true, unreportedUses: 1, toReconcile: 1, purchases: { started: 0 } });
    const { openItems, copy } = await readStatus();
    expect(copy?.acceptedAt).toMatch(ISO);
    expect(openItems).toMatchObject([{ kind: "needs_reconcile" }]);
    await world.cli("report");
    expect(reported()).toEqual(uses);

    await world.cli("resolve", String(openItems[0]?.batchId), "--taken");
    expect(await world.cli("run", "--fresh")).toMatchObject({ code: 0 });
    const known = new Set(first.slice(0, EARLY));
    const again = charges().slice(PAGES);
    expect(again.toSorted()).toEqual(first.filter((url) => !known.has(url)).toSorted());
    expect(await world.json("audit")).toMatchObject({ code: 0, value: { ok: true } });
    expect(reported().filter((line) => line.endsWith(" 3"))).toHaveLength(1);
  });

  test("probes what was started with its own token: what the lost ledger bought with it is in doubt, and charged once", async () => {
    world.sandbox.setFaults({ "content:timeout": 1 });
    await world.configure({ gateway: { timeoutMs: 1_500 } });
    const run = startCliHere(["run", "--max-pages", "1"], { cwd: world.directory });
    while (countStarted() === 0) {
      await world.cli("runs");
    }
    await world.cli("backup", "copy.sqlite");
    world.sandbox.setFaults({});
    expect(await run.end).toMatchObject({ code: 0 });
    const before = charges();
    expect(before).toHaveLength(1);
    rmSync(join(world.directory, "data"), { recursive: true });

    await world.cli("restore", "copy.sqlite");
    expect(await world.json("restore", "--accept", "--yes")).toMatchObject({ value: { purchases: { started: 1 } } });
    await world.cli("run", "--max-pages", "1");
    expect((await readStatus()).inDoubt).toMatchObject([{ url: before[0], reason: "token_spent" }]);
    expect(charges().filter((url) => url === before[0])).toHaveLength(1);
    expect(await world.json("audit")).toMatchObject({ code: 0 });
  });

  test("is accepted once: a second acceptance changes nothing", async () => {
    await loseLedger();
    await world.cli("restore", "copy.sqlite");
    await world.cli("restore", "--accept", "--yes");
    expect(await world.json("restore", "--accept", "--yes")).toMatchObject({
      code: 0,
      value: { accepted: true, toReconcile: 0 },
    });
  });

  test("waits for a person again when it comes from a backup of an accepted copy", async () => {
    await world.cli("run", "--max-pages", "1");
    for (const file of ["first.sqlite", "second.sqlite"]) {
      await world.cli("backup", file);
      rmSync(join(world.directory, "data"), { recursive: true });
      expect(await world.cli("restore", file)).toMatchObject({ code: 0 });
      expect((await readStatus()).copy).toMatchObject({ acceptedAt: null });
      await world.cli("restore", "--accept", "--yes");
    }
  });

  test("waits for a person again when it is a plain copy of a ledger that was accepted once", async () => {
    await world.cli("run", "--max-pages", "1");
    await world.cli("backup", "copy.sqlite");
    rmSync(join(world.directory, "data"), { recursive: true });
    await world.cli("restore", "copy.sqlite");
    const { copy: restored } = await readStatus();
    await world.cli("restore", "--accept", "--yes");
    await world.cli("run", "--max-pages", "1");
    const { copy: accepted } = await readStatus();
    expect(accepted?.acceptedAt).toMatch(ISO);
    const plain = join(world.directory, "plain.sqlite");
    await copyFile(world.ledgerFile, plain);
    const bought = charges().length;
    for (const name of readdirSync(join(world.directory, "data"))) {
      rmSync(join(world.directory, "data", name));
    }
    expect(await world.cli("restore", "plain.sqlite")).toMatchObject({ code: 0 });
    const { copy } = await readStatus();
    expect(copy).toMatchObject({ acceptedAt: null });
    // It knows what was bought since it was restored the first time.
    expect(Date.parse(copy?.madeAt ?? "")).toBeGreaterThan(Date.parse(restored?.madeAt ?? ""));
    for (const args of [["run"], ["report"], ["plan"]]) {
      expect(await world.json(...args)).toMatchObject(RESTORED);
    }
    expect(charges()).toHaveLength(bought);
  });
});

describe("licet restore", () => {
  test("does not touch a ledger that is there, but with --force keeps it beside the copy", async () => {
    await world.cli("run", "--max-pages", String(EARLY));
    await world.cli("backup", "copy.sqlite");
    await world.cli("run", "--fresh");
    // What a killed restoration left.
    const left = `.licet-${createHash("sha256").update(hostname()).digest("hex").slice(0, 8)}-${DEAD}-abc-0123456789ab.tmp`;
    writeFileSync(join(world.directory, "data", left), "paid content");
    expect(await world.json("restore", "copy.sqlite")).toMatchObject({
      code: 1,
      value: { error: { code: "LEDGER_PRESENT" } },
    });
    const { code, value } = await world.json("restore", "--force", "copy.sqlite");
    const { movedTo } = value as { movedTo: string };
    expect(code).toBe(0);
    expect(readdirSync(join(world.directory, "data"))).toHaveLength(2);
    const former = new Database(movedTo, { readonly: true });
    expect(former.prepare("SELECT count(*) FROM purchase").pluck().get()).toBe(PAGES);
    former.close();
  });

  test("refuses while a process has the ledger open", async () => {
    await world.cli("run");
    await world.cli("backup", "copy.sqlite");
    const other = new Database(world.ledgerFile);
    other.prepare("SELECT count(*) FROM run").get();
    expect(await world.json("restore", "--force", "copy.sqlite")).toMatchObject({
      code: 1,
      value: { error: { code: "LEDGER_LOCKED" } },
    });
    other.close();
    expect(await world.cli("restore", "--force", "copy.sqlite")).toMatchObject({ code: 0 });
  });

  test("does not take a log that was left without its ledger for the copy's", async () => {
    await world.cli("run");
    await world.cli("backup", "copy.sqlite");
    await rename(world.ledgerFile, `${world.ledgerFile}-wal`);
    expect(await world.json("restore", "copy.sqlite")).toMatchObject({ value: { error: { code: "LEDGER_PRESENT" } } });
    expect(await world.cli("restore", "--force", "copy.sqlite")).toMatchObject({ code: 0 });
    expect(existsSync(`${world.ledgerFile}-wal`)).toBe(false);
  });

  test("guards a copy that another tool made, too", async () => {
    await world.cli("run");
    const db = new Database(world.ledgerFile);
    db.pragma("journal_mode = DELETE");
    db.close();
    await copyFile(world.ledgerFile, join(world.directory, "plain.sqlite"));
    rmSync(world.ledgerFile);
    expect(await world.json("restore", "plain.sqlite")).toMatchObject({ code: 0 });
    expect(await world.json("run")).toMatchObject(RESTORED);
  });

  test.each([
    [["restore"]],
    [["restore", "copy.sqlite", "--accept"]],
    [["restore", "copy.sqlite", "--yes"]],
    [["restore", "--accept", "--force"]],
  ])("refuses %j", async (args) => {
    expect(await world.json(...args)).toMatchObject({ code: 2, value: { error: { code: "USAGE_INVALID" } } });
  });

  test("has nothing to accept in a ledger that is not a copy", async () => {
    await world.cli("run");
    expect(await world.json("restore", "--accept")).toMatchObject({ code: 2 });
  });
});

/** What a ledger of another hand may have, and what it does: the first spends beyond every budget, the second accepts the copy by itself. */
const FOREIGN: readonly (readonly [name: string, sql: string])[] = [
  [
    "trigger budgets_off on balance",
    "CREATE TRIGGER budgets_off AFTER UPDATE ON balance BEGIN UPDATE balance SET reserved_micros = 0, settled_micros = 0 WHERE scope = NEW.scope; END",
  ],
  [
    "trigger accepted on ledger_copy",
    "CREATE TRIGGER accepted AFTER INSERT ON ledger_copy BEGIN UPDATE ledger_copy SET accepted_at = 1; END",
  ],
  ["view mine", "CREATE VIEW mine AS SELECT 1"],
  ["index mine on page", "CREATE INDEX mine ON page (property_id)"],
  ["table mine", "CREATE TABLE mine (id INTEGER PRIMARY KEY)"],
];

describe("a ledger with what licet did not make", () => {
  function add(file: string, sql: string): void {
    const db = new Database(file);
    db.exec(sql);
    db.close();
  }

  test.each(FOREIGN)("is refused by restore, and its %s is named by audit", async (name, sql) => {
    await world.cli("run", "--max-pages", "1");
    await world.cli("backup", "copy.sqlite");
    const copy = join(world.directory, "copy.sqlite");
    add(copy, sql);
    const said = `licet did not make the ${name}`;
    expect(await world.json("restore", "copy.sqlite", "--force")).toMatchObject({
      code: 1,
      value: {
        error: {
          code: "LEDGER_CORRUPT",
          message: expect.stringContaining(said),
          hint: expect.stringContaining("use another copy"),
        },
      },
    });
    expect(readdirSync(join(world.directory, "data")).filter((file) => file.startsWith(".licet-"))).toEqual([]);
    expect(await world.json("audit")).toMatchObject({ code: 0 });

    add(world.ledgerFile, sql);
    expect(await world.json("audit")).toMatchObject({
      code: 1,
      value: { ok: false, violations: expect.arrayContaining([{ promise: 0, detail: said }]) },
    });
    // A ledger must have a backup; what was added to it is not copied in silence.
    expect(await world.json("backup", "again.sqlite")).toMatchObject({
      value: { audit: { ok: false, violations: expect.arrayContaining([{ promise: 0, detail: said }]) } },
    });
    expect(existsSync(join(world.directory, "again.sqlite"))).toBe(true);
  });

  test("is not accepted where it was added after the restoration, and nothing of it is frozen", async () => {
    await loseLedger();
    await world.cli("restore", "copy.sqlite");
    add(world.ledgerFile, FOREIGN[0]?.[1] ?? "");
    for (const args of [["--yes"], []]) {
      expect(await world.json("restore", "--accept", ...args)).toMatchObject({
        code: 1,
        value: { error: { code: "LEDGER_CORRUPT", message: expect.stringContaining("trigger budgets_off") } },
      });
    }
    expect((await readStatus()).copy?.acceptedAt).toBeNull();
    add(world.ledgerFile, "DROP TRIGGER budgets_off");
    expect(await world.json("restore", "--accept", "--yes")).toMatchObject({ code: 0, value: { unreportedUses: 1 } });
  });

  test("may have the statistics that SQLite itself makes", async () => {
    await world.cli("run", "--max-pages", "1");
    add(world.ledgerFile, "ANALYZE");
    await world.cli("backup", "copy.sqlite");
    expect(await world.json("restore", "copy.sqlite", "--force")).toMatchObject({
      code: 0,
      value: { audit: { ok: true } },
    });
  });
});
