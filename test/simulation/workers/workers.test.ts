import { describe, expect, it, onTestFinished } from "vitest";
import { FAULT_KINDS } from "../faults.ts";
import { createSimulator, type WorldClass } from "../simulate.ts";

/** The same ones each time; the others are among the fresh seeds. */
const SEEDS: Readonly<Record<WorldClass, readonly number[]>> = {
  crawls: [3, 6, 9, 10, 12, 18, 24, 25, 29],
  meetings: [3, 8, 9, 23],
};
/** Of their workers to the gateway. */
const MIN_REQUESTS: Readonly<Record<WorldClass, number>> = { crawls: 100, meetings: 50 };
const TIMEOUT_MS = 300_000;

describe("worlds with workers on other machines", () => {
  const struck = new Set<string>();
  it.each(Object.entries(SEEDS) as [WorldClass, readonly number[]][])(
    "%s keep every promise, and the limits of the gateway to the request",
    async (worldClass, seeds) => {
      const simulator = await createSimulator(worldClass);
      onTestFinished(() => simulator.close());
      let requests = 0;
      for (const seed of seeds) {
        const outcome = await simulator.run(seed);
        expect(outcome.violation, `npm run simulate -- --class ${worldClass} --seed ${seed}`).toBeNull();
        requests += outcome.requestsOfWorkers;
        for (const kind of outcome.struck.keys()) {
          struck.add(kind);
        }
      }
      // Else they would prove nothing.
      expect(requests).toBeGreaterThan(MIN_REQUESTS[worldClass]);
    },
    TIMEOUT_MS,
  );

  it("together have every fault of workers", () => {
    expect(FAULT_KINDS.filter((kind) => kind.startsWith("worker_") && !struck.has(kind))).toEqual([]);
  });
});

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
