/** Each request of a worker to its service goes wrong once, on the way. */
import { afterAll, describe, expect, test } from "vitest";
import { createFaultPoint, type Duration, type FaultPoint } from "./fault.ts";
import {
  type Counter,
  failEachNth,
  LOOP_TIMEOUT_MS,
  listOperations,
  sampleKinds,
  sayTried,
  TRIES_ALL,
} from "./loop.ts";
import { MIXED_PLAN, type NthPlan, TIGHT_PLAN } from "./plans.ts";
import { type Leavings, NOTHING_LEFT, runWithFault } from "./run-with-fault.ts";
import { LONG_FAULTS, WAY_FAULTS, type WayFaults } from "./service-way.ts";
import { removeTemplate } from "./world.ts";

const counter: Counter = { runs: 0, faults: 0 };
afterAll(async () => {
  await removeTemplate();
  console.info(`fail-nth, requests of a worker: ${counter.faults} faults in ${counter.runs} runs`);
});

const DURATIONS: readonly Duration[] = ["single", "lasting"];
const SHORT_CASES = WAY_FAULTS.flatMap((fault) =>
  DURATIONS.map((duration) => {
    // Content that its worker can bring nowhere, until it is killed, is lost, whatever one does.
    const isLost = duration === "lasting" && fault.isDeaf === true;
    return { ...fault, name: `${fault.name} (${duration})`, duration, doubts: isLost ? "charged" : "none" } as const;
  }),
);
const LONG_CASES = LONG_FAULTS.map((fault) => ({ ...fault, duration: "single", doubts: "none" }) as const);
const CASES = [...SHORT_CASES, ...LONG_CASES].map((fault, turn) => [fault.name, { ...fault, turn }] as const);
const PLANS: readonly (readonly [string, NthPlan])[] = [
  ["a mixed run", MIXED_PLAN],
  ["a run under a tight budget", TIGHT_PLAN],
];
const TRIED = sayTried("one of every eighth kind, in turns");

/** The run goes on whatever happens to its worker: a service that hears nothing of a worker does the work itself. */
async function play(
  plan: NthPlan,
  { doubts, ...fault }: Omit<WayFaults, "requests"> & Pick<Leavings, "doubts">,
  point: FaultPoint,
) {
  const leavings = { ...NOTHING_LEFT, doubts, sameRun: true };
  const run = await runWithFault(plan, { faults: { way: { ...fault, requests: point } }, point, leavings });
  const end = run.report?.state ?? String(run.error);
  const isOver = end === "completed" || end === "budget_exhausted";
  return isOver ? run : { ...run, problems: [...run.problems, `the run ended ${end}: ${run.report?.reason}`] };
}

describe.each(TRIES_ALL ? PLANS : PLANS.slice(0, 1))(`in %s, the nth request of a worker (${TRIED})`, (_name, plan) => {
  let requests: Promise<readonly string[]> | undefined;
  test.each(CASES)(
    "%s",
    async (_title, { duration, turn, ...fault }) => {
      requests ??= listOperations((point) => play(plan, fault, point));
      const sample = sampleKinds(await requests, duration, turn);
      const problems = await failEachNth(sample, counter, (n) => play(plan, fault, createFaultPoint(n, duration)));
      expect(problems).toEqual([]);
    },
    LOOP_TIMEOUT_MS,
  );
});
