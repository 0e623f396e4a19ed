import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { LicetError } from "../../../src/errors.ts";
import { loadMigrations, migrate } from "../../../src/ledger/sqlite/engine/migrations.ts";
import { createLedgerCore } from "../../../src/ledger/sqlite/ledger-core.ts";
import { loadReports } from "../../../src/ledger/sqlite/reports/reports-on-demand.ts";
import { createSqliteLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { systemClock } from "../../../src/time/clock.ts";

/** Prints whether drizzle is loaded when a ledger was opened and written to, when a run has asked what it asks before its first request and at its end, and when a report was read. */
const PROGRAM = `
  import { createRequire } from "node:module";
  import { openMemoryLedger } from "${pathToFileURL("src/ledger/sqlite/open.ts")}";
  const isLoaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("drizzle-orm"));
  const ledger = await openMemoryLedger();
  await ledger.leaseFlusher({ now: 1, leaseMs: 1 });
  const written = isLoaded();
  await ledger.hasRuns();
  await ledger.readStops("run_1");
  await ledger.readBalances({ budgets: [{ scope: { kind: "all" }, period: "month", limitMicros: 1, currency: "USD" }], hosts: [], runId: null, now: 1 });
  const asked = isLoaded();
  await ledger.readStatus();
  await ledger.readRun("run_1").catch((error) => { if (error.code !== "RUN_NOT_FOUND") throw error; });
  const ended = isLoaded();
  await ledger.readAlerts({ before: null, isOpen: false, limit: 1 });
  console.log(JSON.stringify({ written, asked, ended, read: isLoaded() }));
  await ledger.close();`;

describe("the reports of a ledger", () => {
  it("are loaded by the first report, not by what writes or by what a run reads", () => {
    const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", PROGRAM], { encoding: "utf8" });
    expect(JSON.parse(printed)).toEqual({ written: false, asked: false, ended: false, read: true });
  });

  it("are made again by the next call where they could not be made", async () => {
    const path = ":memory:";
    const db = new Database(path);
    migrate(db, loadMigrations(), path);
    let loads = 0;
    const ledger = createSqliteLedger(createLedgerCore(db, path, systemClock), async () => {
      loads += 1;
      return loads === 1
        ? () => {
            throw new LicetError("LEDGER_LOCKED", "busy", { details: { path: "ledger.sqlite" } });
          }
        : loadReports();
    });
    onTestFinished(() => ledger.close());
    const all = { before: null, isOpen: false, limit: 1 };
    await expect(ledger.readAlerts(all)).rejects.toMatchObject({ code: "LEDGER_LOCKED" });
    expect(await ledger.readAlerts(all)).toEqual([]);
    expect(loads).toBe(2);
  });
});
