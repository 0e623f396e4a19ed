/** Each statement on the ledger's connection fails once, transaction boundaries among them. */
import { afterAll, describe, expect, test } from "vitest";
import { createFaultPoint, type Duration, type FaultPoint, NO_FAULT } from "./fault.ts";
import type { LedgerFault } from "./ledger.ts";
import { type Counter, failEachNth, LOOP_TIMEOUT_MS, listOperations, sampleSteps, sayTried } from "./loop.ts";
import { MIXED_PLAN } from "./plans.ts";
import { type Leavings, NOTHING_LEFT, runWithFault } from "./run-with-fault.ts";
import { removeTemplate } from "./world.ts";

const counter: Counter = { runs: 0, faults: 0 };
afterAll(async () => {
  await removeTemplate();
  console.info(`fail-nth, statements: ${counter.faults} faults in ${counter.runs} runs`);
});

const DURATIONS: readonly Duration[] = ["single", "double", "lasting"];

const FAULTS: readonly (LedgerFault & { readonly name: string })[] = [
  { name: "finds the file busy", code: "SQLITE_BUSY", when: "before" },
  { name: "finds the disk full, and SQLite rolls back", code: "SQLITE_FULL", when: "undone" },
  { name: "finds the disk broken", code: "SQLITE_IOERR", when: "before" },
  { name: "is done, and told to have failed", code: "SQLITE_IOERR", when: "after" },
];

/** What is counted: every statement; or only those that begin, commit and roll back. */
const KINDS = [
  { name: "statement", only: () => true, stride: 523 },
  { name: "transaction boundary", only: (sql: string) => /^(BEGIN|COMMIT|ROLLBACK)/.test(sql), stride: 79 },
];

function play({ code, when }: LedgerFault, duration: Duration, point: FaultPoint) {
  const ledger = { fault: { code, when }, calls: NO_FAULT, statements: point };
  const leavings: Leavings = { ...NOTHING_LEFT, doubts: duration === "lasting" ? "charged" : "none" };
  return runWithFault(MIXED_PLAN, { faults: { ledger }, point, leavings });
}

describe.each(KINDS.map((kind) => [kind.name, sayTried(`each ${kind.stride}th`), kind] as const))(
  "the nth %s (%s)",
  (_name, _tried, { only, stride }) => {
    let statements: Promise<readonly string[]> | undefined;
    const cases = FAULTS.flatMap((fault) =>
      DURATIONS.map((duration) => [`${fault.name} (${duration})`, { ...fault, duration }] as const),
    ).map(([title, one], turn) => [title, { ...one, turn }] as const);

    test.each(cases)(
      "%s",
      async (_title, { duration, turn, ...fault }) => {
        statements ??= listOperations((point) => play(fault, "single", point), only);
        const sample = sampleSteps(await statements, stride, 11 * turn);
        const problems = await failEachNth(sample, counter, (n) =>
          play(fault, duration, createFaultPoint(n, duration, only)),
        );
        expect(problems).toEqual([]);
      },
      LOOP_TIMEOUT_MS,
    );
  },
);
