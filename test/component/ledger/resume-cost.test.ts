import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Connection, openConnection } from "../../../src/ledger/sqlite/engine/connection.ts";
import { loadMigrations, migrate } from "../../../src/ledger/sqlite/engine/migrations.ts";
import { createLedgerCore } from "../../../src/ledger/sqlite/ledger-core.ts";
import { createSqliteLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { RUN, resumeRun, toEntry, toSite, toSpec, walkPage } from "../../doubles/ledger-steps.ts";

const directory = mkdtempSync(join(tmpdir(), "licet-cost-"));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

type Runnable = Record<"get" | "all", (...args: unknown[]) => unknown>;

/** The same connection; each statement that reads rows of the frontier is counted when it runs. */
function countReads(db: Connection, reads: { frontier: number }): Connection {
  const wrap = (statement: Runnable): unknown =>
    new Proxy(statement, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target) as (...args: unknown[]) => unknown;
        if (typeof member !== "function") {
          return member;
        }
        return (...args: unknown[]) => {
          reads.frontier += name === "get" || name === "all" ? 1 : 0;
          const result = member.apply(target, args);
          return result === target ? wrap(target) : result;
        };
      },
    });
  return new Proxy(db, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target) as unknown;
      if (name === "prepare") {
        return (sql: string) =>
          /FROM frontier/.test(sql) ? wrap(target.prepare(sql) as unknown as Runnable) : target.prepare(sql);
      }
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

test("a run is resumed with as many reads of its frontier for many sites as for one", async () => {
  const counts: number[] = [];
  for (const sites of [1, 40]) {
    const db = openConnection(join(directory, `${sites}.sqlite`));
    migrate(db, loadMigrations(), "test");
    const reads = { frontier: 0 };
    const ledger = createSqliteLedger(createLedgerCore(countReads(db, reads), "test", systemClock));
    const specs = Array.from({ length: sites }, (_, index) => toSite({ host: `s${index}.example` }));
    await ledger.createRun(toSpec({ sites: specs }));
    for (const { host } of specs) {
      await walkPage(ledger, { entries: [toEntry("/a", {}, host)], quoteBatchSize: 1 });
      await ledger.stopSite({ runId: RUN, host, stop: "failed", detail: "network", now: 0 });
    }
    reads.frontier = 0;
    await resumeRun(ledger, { configured: specs });
    counts.push(reads.frontier);
    expect(await ledger.readProgress({ runId: RUN, now: 0, stages: ["quote"] })).toMatchObject({ openBatches: sites });
    await ledger.close();
  }
  expect(counts[1]).toBe(counts[0]);
});
