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
  const waiting = db
    .prepare<[], number>(
      `SELECT (SELECT count(*) FROM frontier WHERE state <> 'decided') + (SELECT coalesce(sum(last_page_id - first_page_id + 1), 0) FROM frontier_range)`,
    )
    .pluck();
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

test("is dropped and marked in one write, so that nobody can fill it in between", async () => {
  const db = openConnection(join(directory, "ledger.sqlite"));
  migrate(db, loadMigrations(), "test");
  const core = createLedgerCore(db, "test", systemClock);
  const state = db.prepare<[], string>(
    "SELECT ((SELECT count(*) FROM frontier) + (SELECT count(*) FROM frontier_range)) || ' left, dropped ' || frontier_dropped FROM run",
  );
  const seen: unknown[] = [];
  const watched: LedgerCore = {
    ...core,
    write: async (operation, ...asked) => {
      const result = await core.write(operation, ...asked);
      seen.push(state.pluck().get());
      return result;
    },
  };
  const ledger = createSqliteLedger(watched);
  await ledger.createRun(toSpec());
  await walkPage(ledger, { entries: [toEntry("/1")] });
  expect(await decideBatch(ledger, { budgets: [toBudget(0)] })).toMatchObject({ denied: { budget_exhausted: 1 } });
  seen.length = 0;
  await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON, drained: true });
  expect(seen).toEqual(["1 left, dropped 0", "0 left, dropped 1"]);
  await ledger.close();
});
