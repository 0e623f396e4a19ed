/** Each statement that makes a new ledger, and each that opens one, fails once: the next opening finds none of it or all of it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLicetError } from "../../src/errors.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { createFaultPoint, type Duration, type FaultPoint, NO_FAULT } from "./fault.ts";
import { type LedgerFault, openFaultyLedger } from "./ledger.ts";
import { type Counter, failEachNth, LOOP_TIMEOUT_MS, listOperations, sampleSteps, sayTried } from "./loop.ts";

let directory: string;
let schema: string[];
let files = 0;
const counter: Counter = { runs: 0, faults: 0 };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "licet-nth-open-"));
  const path = join(directory, "whole.sqlite");
  await (await openSqliteLedger({ path })).close();
  schema = readSchema(path);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  console.info(`fail-nth, opening: ${counter.faults} faults in ${counter.runs} runs`);
});

const FAULTS: readonly LedgerFault[] = [
  { code: "SQLITE_BUSY", when: "before" },
  { code: "SQLITE_FULL", when: "undone" },
  { code: "SQLITE_IOERR", when: "before" },
  { code: "SQLITE_IOERR", when: "after" },
];
const DURATIONS: readonly Duration[] = ["single", "double", "lasting"];
const CASES = FAULTS.flatMap((fault) =>
  DURATIONS.map((duration) => [`${fault.code} ${fault.when} it is done (${duration})`, fault, duration] as const),
).map(([title, fault, duration], turn) => [title, { fault, duration, turn }] as const);
const STRIDE = 23;

describe(`the nth statement of creating a ledger fails (${sayTried(`each ${STRIDE}th`)})`, () => {
  let statements: Promise<readonly string[]> | undefined;
  test.each(CASES)(
    "%s",
    async (_title, { fault, duration, turn }) => {
      statements ??= listOperations((point) => openTwice(fault, point));
      const sample = sampleSteps(await statements, STRIDE, 2 * turn);
      const problems = await failEachNth(sample, counter, (n) => openTwice(fault, createFaultPoint(n, duration)));
      expect(problems).toEqual([]);
    },
    LOOP_TIMEOUT_MS,
  );
});

async function openTwice(fault: LedgerFault, point: FaultPoint) {
  const problems: string[] = [];
  files += 1;
  const path = join(directory, `${files}.sqlite`);
  try {
    await openFaultyLedger(path, Date.now, { fault, calls: NO_FAULT, statements: point }).close();
  } catch (error) {
    if (!isLicetError(error) || (error.hint ?? "") === "" || !error.message.includes(path)) {
      problems.push(`it ended in no clear error: ${error instanceof Error ? error.stack : error}`);
    }
  }
  const ledger = await openSqliteLedger({ path });
  const { ok, violations } = await ledger.audit({ budgets: [], now: Date.now() });
  await ledger.close();
  if (!ok) {
    problems.push(...violations.map(({ detail }) => `audit: ${detail}`));
  }
  if (readSchema(path).join("\n") !== schema.join("\n")) {
    problems.push("the schema is not that of a ledger that was made without a fault");
  }
  await rm(path);
  return { problems, struck: point.struck };
}

function readSchema(path: string): string[] {
  const db = new Database(path, { readonly: true });
  try {
    const version = db.pragma("user_version", { simple: true });
    return [
      `version ${version}`,
      ...db.prepare<[], string>("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name").pluck().all(),
    ];
  } finally {
    db.close();
  }
}
