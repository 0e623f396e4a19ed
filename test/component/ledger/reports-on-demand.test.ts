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

/** Prints whether drizzle is loaded when a ledger was opened and written to, and when it was read. */
const PROGRAM = `
  import { createRequire } from "node:module";
  import { openMemoryLedger } from "${pathToFileURL("src/ledger/sqlite/open.ts")}";
  const isLoaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("drizzle-orm"));
  const ledger = await openMemoryLedger();
  await ledger.leaseFlusher({ now: 1, leaseMs: 1 });
  const written = isLoaded();
  await ledger.hasRuns();
  console.log(JSON.stringify({ written, read: isLoaded() }));
  await ledger.close();`;

describe("the reports of a ledger", () => {
  it("are loaded by the first call that reads, not by one that writes", () => {
    const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", PROGRAM], { encoding: "utf8" });
    expect(JSON.parse(printed)).toEqual({ written: false, read: true });
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
    await expect(ledger.hasRuns()).rejects.toMatchObject({ code: "LEDGER_LOCKED" });
    expect(await ledger.hasRuns()).toBe(false);
    expect(await ledger.readStatus()).toMatchObject({ inDoubt: [] });
    expect(loads).toBe(2);
  });
});
