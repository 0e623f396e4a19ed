/** Each call of the ledger's port fails once: not done, or done without an answer. */
import { afterAll, describe, expect, test } from "vitest";
import { createFaultPoint, type Duration, type FaultPoint, NO_FAULT } from "./fault.ts";
import type { LedgerFault } from "./ledger.ts";
import {
  type Counter,
  failEachNth,
  LOOP_TIMEOUT_MS,
  listOperations,
  sampleKinds,
  sayTried,
  TRIES_ALL,
} from "./loop.ts";
import { MIXED_PLAN, type NthPlan, ORDERED_PLAN, TIGHT_PLAN } from "./plans.ts";
import { type Leavings, NOTHING_LEFT, runWithFault } from "./run-with-fault.ts";
import { removeTemplate } from "./world.ts";

const counter: Counter = { runs: 0, faults: 0 };
afterAll(async () => {
  await removeTemplate();
  console.info(`fail-nth, calls of the ledger: ${counter.faults} faults in ${counter.runs} runs`);
});

const FAULTS: readonly (LedgerFault & { readonly name: string })[] = [
  { name: "finds the file busy", code: "SQLITE_BUSY", when: "before" },
  { name: "finds the disk full", code: "SQLITE_FULL", when: "before" },
  { name: "finds the disk broken", code: "SQLITE_IOERR", when: "before" },
  { name: "is committed, and the caller told that the file is busy", code: "SQLITE_BUSY", when: "after" },
  { name: "is committed, and the caller told that the disk is broken", code: "SQLITE_IOERR", when: "after" },
];
/** The faults in which the tight budget could make a difference; the full loop has them all. */
const TIGHT_FAULTS = TRIES_ALL
  ? FAULTS
  : FAULTS.filter(({ code, when }) => code === "SQLITE_FULL" || (code === "SQLITE_IOERR" && when === "after"));
const PLANS = [
  ["a mixed run", MIXED_PLAN, FAULTS],
  ["a run under a tight budget", TIGHT_PLAN, TIGHT_FAULTS],
  ["a run that buys from the best page down", ORDERED_PLAN, TIGHT_FAULTS],
] as const;
const DURATIONS: readonly Duration[] = ["single", "lasting"];

function play(plan: NthPlan, { code, when }: LedgerFault, duration: Duration, point: FaultPoint) {
  const ledger = { fault: { code, when }, calls: point, statements: NO_FAULT };
  // Content that can be kept nowhere for good is lost, whatever one does.
  const isLost = duration === "lasting" && when === "before";
  const leavings: Leavings = { ...NOTHING_LEFT, doubts: isLost ? "charged" : "none" };
  return runWithFault(plan, { faults: { ledger }, point, leavings });
}

const TRIED = sayTried("one call of every eighth method, in turns");

describe.each(PLANS)(`in %s, the nth call of the ledger (${TRIED})`, (_name, plan, faults) => {
  let calls: Promise<readonly string[]> | undefined;
  const cases = faults
    .flatMap((fault) => DURATIONS.map((duration) => [`${fault.name} (${duration})`, { ...fault, duration }] as const))
    .map(([title, one], turn) => [title, { ...one, turn }] as const);

  test.each(cases)(
    "%s",
    async (_title, { duration, turn, ...fault }) => {
      calls ??= listOperations((point) => play(plan, fault, "single", point));
      const sample = sampleKinds(await calls, duration, Math.floor(turn / DURATIONS.length));
      const problems = await failEachNth(sample, counter, (n) =>
        play(plan, fault, duration, createFaultPoint(n, duration)),
      );
      expect(problems).toEqual([]);
    },
    LOOP_TIMEOUT_MS,
  );
});
