import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openConnection } from "../../../src/ledger/sqlite/engine/connection.ts";
import { loadMigrations, migrate } from "../../../src/ledger/sqlite/engine/migrations.ts";
import { createLedgerCore, type LedgerCore } from "../../../src/ledger/sqlite/ledger-core.ts";
import { createSqliteLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { NOON } from "../../doubles/ledger-shop.ts";
import { begin, decideBatch, RUN, toBudget, toEntry, toSpec, walkPage } from "../../doubles/ledger-steps.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "licet-drop-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("keeps the frontier of a run that another process resumed between its end and the drop", async () => {
  const db = openConnection(join(directory, "ledger.sqlite"));
  migrate(db, loadMigrations(), "test");
  const core = createLedgerCore(db, "test", systemClock);
  const other = createSqliteLedger(core);
  const waiting = db.prepare<[], number>("SELECT count(*) FROM frontier WHERE state <> 'decided'").pluck();
  const beforeWrites: (() => Promise<unknown>)[] = [];
  const interleaved: LedgerCore = {
    ...core,
    write: async (operation, ...asked) => {
      await beforeWrites.shift()?.();
      return core.write(operation, ...asked);
    },
  };
  const ledger = createSqliteLedger(interleaved);
  await ledger.createRun(toSpec());
  const entries = ["/1", "/2", "/3"].map((path) => toEntry(path));
  await walkPage(ledger, { entries });
  expect(await decideBatch(ledger, { budgets: [toBudget(0)] })).toMatchObject({ denied: { budget_exhausted: 3 } });

  const endsTheRun = async () => {};
  const resumes = async () => {
    await begin(other, { process: "here:2:b" });
    await walkPage(other, { entries });
  };
  beforeWrites.push(endsTheRun, resumes);
  await ledger.endRun({ runId: RUN, state: "budget_exhausted", reason: "all", now: NOON, drained: true });

  expect(beforeWrites).toEqual([]);
  expect(await ledger.readRun(RUN)).toMatchObject({ state: "running" });
  expect(waiting.get()).toBe(3);
  expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
  await other.close();
});

test("is dropped by the next one that clears away what was left, if it was filled again between its deletion and its mark", async () => {
  const db = openConnection(join(directory, "ledger.sqlite"));
  migrate(db, loadMigrations(), "test");
  const core = createLedgerCore(db, "test", systemClock);
  const count = db.prepare<[], number>("SELECT count(*) FROM frontier").pluck();
  const isDropped = db.prepare<[], number>("SELECT frontier_dropped FROM run WHERE id = 1").pluck();
  // What a process leaves that resumed the run, ended it and died: the run is over, and has a frontier.
  const fill = db.prepare("INSERT INTO frontier (run_id, page_id, state) SELECT 1, id, 'unchanged' FROM page");
  let isFilled = false;
  const interleaved: LedgerCore = {
    ...core,
    write: async (operation, ...asked) => {
      const result = await core.write(operation, ...asked);
      if (!isFilled && count.get() === 0) {
        isFilled = fill.run().changes > 0;
      }
      return result;
    },
  };
  const ledger = createSqliteLedger(interleaved);
  await ledger.createRun(toSpec());
  await walkPage(ledger, { entries: [toEntry("/1")] });
  expect(await decideBatch(ledger, { budgets: [toBudget(0)] })).toMatchObject({ denied: { budget_exhausted: 1 } });
  await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON, drained: true });
  expect([isFilled, count.get(), isDropped.get()]).toEqual([true, 1, 0]);

  expect(await begin(ledger, { runId: "run_2", which: { kind: "fresh" } })).toMatchObject({
    kind: "begun",
    resumed: false,
  });
  expect([count.get(), isDropped.get()]).toEqual([0, 1]);
  await ledger.close();
});
