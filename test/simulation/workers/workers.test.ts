import { expect, it } from "vitest";
import { FAULT_KINDS } from "../faults.ts";
import { createSimulator, type Outcome, type WorldClass } from "../simulate.ts";

/** The same ones each time; the others are among the fresh seeds. */
const SEEDS: Readonly<Record<WorldClass, readonly number[]>> = {
  crawls: [3, 6, 9, 10, 12, 18, 24, 25, 29],
  meetings: [3, 10, 18],
};
const TIMEOUT_MS = 300_000;

it(
  "worlds with workers on other machines keep every promise, and the limits of the gateway to the request",
  async () => {
    const outcomes: Outcome[] = [];
    for (const [worldClass, seeds] of Object.entries(SEEDS) as [WorldClass, readonly number[]][]) {
      const simulator = await createSimulator(worldClass);
      try {
        for (const seed of seeds) {
          const outcome = await simulator.run(seed);
          expect(outcome.violation, `npm run simulate -- --class ${worldClass} --seed ${seed}`).toBeNull();
          outcomes.push(outcome);
        }
      } finally {
        simulator.close();
      }
    }
    // Else they would prove nothing.
    const struck = new Set(outcomes.flatMap((outcome) => [...outcome.struck.keys()]));
    expect(FAULT_KINDS.filter((kind) => kind.startsWith("worker_") && !struck.has(kind))).toEqual([]);
    expect(outcomes.reduce((sum, { requestsOfWorkers }) => sum + requestsOfWorkers, 0)).toBeGreaterThan(100);
  },
  TIMEOUT_MS,
);

it(
  "a world with workers passes the same way twice, event by event",
  async () => {
    const simulator = await createSimulator();
    const [first, second] = [await simulator.run(3, undefined, true), await simulator.run(3, undefined, true)];
    simulator.close();
    expect(second.trace).toEqual(first.trace);
    expect(first.requestsOfWorkers).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
