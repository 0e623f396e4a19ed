import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drawScenario } from "./draw-scenario.ts";
import { FAULT_KINDS, type FaultKind } from "./faults.ts";
import { ALL, ALONE, createSimulator, type Outcome, type Simulator } from "./simulate.ts";

/** The same ones each time, so that what passed once goes on passing. */
const SEEDS = 31;
const TIMEOUT_MS = 300_000;

let simulator: Simulator;
beforeAll(async () => {
  simulator = await createSimulator();
});
afterAll(() => simulator.close());

describe(`${SEEDS} simulated worlds`, () => {
  const outcomes: Outcome[] = [];

  it(
    "keep every promise at every commit and run to their end",
    async () => {
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const outcome = await simulator.run(seed, ALONE);
        expect(outcome.violation, `npm run simulate -- --without-actors workers --seed ${seed}`).toBeNull();
        outcomes.push(outcome);
      }
    },
    TIMEOUT_MS,
  );

  it("have every kind of fault, every order, deaths, and charges: else they would prove nothing", () => {
    const struck = new Set<FaultKind>(outcomes.flatMap((outcome) => [...outcome.struck.keys()]));
    expect([...struck].sort()).toEqual(FAULT_KINDS.filter((kind) => !kind.startsWith("worker_")).sort());
    const orders = outcomes.map(({ seed }) => drawScenario(seed, ALL).order);
    expect([...new Set(orders)].sort()).toEqual(["catalog", "cheapest", "newest", "value"]);
    expect(sum(outcomes, ({ kills }) => kills)).toBeGreaterThan(SEEDS / 2);
    expect(sum(outcomes, ({ charges }) => charges)).toBeGreaterThan(SEEDS * 5);
  });

  it("run the same way twice, event by event", async () => {
    for (const seed of [3, 77]) {
      const first = await simulator.run(seed, ALONE, true);
      const second = await simulator.run(seed, ALONE, true);
      expect(second.trace).toEqual(first.trace);
      expect(first.trace.length).toBeGreaterThan(0);
    }
  });
});

function sum(outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number {
  return outcomes.reduce((total, outcome) => total + of(outcome), 0);
}
