import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALONE, createSimulator, type Outcome, type Simulator } from "../simulate.ts";

/** The same ones each time, so that what passed once goes on passing. */
const FIXED = 16;
/** Worlds that have shown a fault of licet, each with what is met there. */
const MET: readonly (readonly [seed: number, what: string])[] = [
  [61, "a service that looks for what was left meets what a person stopped"],
  [20_021, "a service that frees a run meets a cancel of it that hung"],
  [941_000_094, "a service meets a run whose process was killed after Ctrl-C"],
  [961_000_034, "somebody who applies a plan again meets what it has bought"],
  [982_500_061, "a service meets a run whose process was killed in the instant after Ctrl-C"],
  [997_000_081, "two that cancel a run meet, while a dead process still has what it started"],
  [992_500_152, "a statement that called a month complete meets a machine whose clock is still in it"],
  [993_500_108, "a purge meets rows of a clock that was set meanwhile"],
  [4_302_101, "what a restored copy knows meets what was bought after it"],
];
const TIMEOUT_MS = 300_000;

let simulator: Simulator;
beforeAll(async () => {
  simulator = await createSimulator("meetings");
});
afterAll(() => simulator.close());

describe("meetings of the service, persons and configurations", () => {
  const play = async (seed: number): Promise<Outcome> => {
    const outcome = await simulator.run(seed, ALONE);
    expect(
      outcome.violation,
      `npm run simulate -- --class meetings --without-actors workers --seed ${seed}`,
    ).toBeNull();
    return outcome;
  };

  it(
    `${FIXED} buy what was asked for, and do or say it all`,
    async () => {
      const outcomes: Outcome[] = [];
      for (let seed = 1; seed < FIXED; seed += 1) {
        outcomes.push(await play(seed));
      }
      // Else they would prove nothing.
      expect(outcomes.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThan(FIXED / 2);
      expect(outcomes.reduce((sum, { charges }) => sum + charges, 0)).toBeGreaterThan(FIXED * 5);
    },
    TIMEOUT_MS,
  );

  it.each(MET)("%d: %s", async (seed) => void (await play(seed)), TIMEOUT_MS);

  it("pass the same way twice, event by event", async () => {
    const [first, second] = [await simulator.run(5, ALONE, true), await simulator.run(5, ALONE, true)];
    expect(second.trace).toEqual(first.trace);
    expect(first.trace.length).toBeGreaterThan(0);
  });
});
