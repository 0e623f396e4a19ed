/** Each request to the gateway goes wrong once, on the wire. */
import { afterAll, describe, expect, test } from "vitest";
import { createFaultPoint, type Duration, type FaultPoint } from "./fault.ts";
import type { WireFault } from "./gateway.ts";
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
import { WIRE_FAULTS } from "./wire-faults.ts";
import { removeTemplate } from "./world.ts";

const counter: Counter = { runs: 0, faults: 0 };
afterAll(async () => {
  await removeTemplate();
  console.info(`fail-nth, requests: ${counter.faults} faults in ${counter.runs} runs`);
});

const DURATIONS: readonly Duration[] = ["single", "lasting"];

const CASES = WIRE_FAULTS.flatMap(({ name, fault, ...leavings }, turn) =>
  DURATIONS.map((duration) => {
    const left = duration === "single" ? leavings.single : leavings.lasting;
    return [`${name} (${duration})`, { fault, duration, leavings: left, turn }] as const;
  }),
);

function play(plan: NthPlan, fault: WireFault, leavings: Leavings, point: FaultPoint) {
  return runWithFault(plan, { faults: { wire: { fault, requests: point } }, point, leavings });
}

const PLANS: readonly (readonly [string, NthPlan])[] = [
  ["a mixed run", MIXED_PLAN],
  ["a run under a tight budget", TIGHT_PLAN],
];
const TRIED = sayTried("one of every eighth endpoint, in turns");

// The tight budget meets each fault of its chargeable requests in content-answers.test.ts, the others in the full loop.
describe.each(TRIES_ALL ? PLANS : PLANS.slice(0, 1))(
  `in %s, the nth request to the gateway (${TRIED})`,
  (_name, plan) => {
    let requests: Promise<readonly string[]> | undefined;
    test.each(CASES)(
      "gets %s",
      async (_title, { fault, duration, leavings, turn }) => {
        requests ??= listOperations((point) => play(plan, { kind: "cut" }, NOTHING_LEFT, point));
        const sample = sampleKinds(await requests, duration, turn);
        const problems = await failEachNth(sample, counter, (n) =>
          play(plan, fault, leavings, createFaultPoint(n, duration)),
        );
        expect(problems).toEqual([]);
      },
      LOOP_TIMEOUT_MS,
    );
  },
);
