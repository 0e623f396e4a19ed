/** How long things wait for company: who is alone waits for nothing, because somebody waits for the answer. */
import { describe, expect, it } from "vitest";
import { createGathering } from "../../../src/ledger/gathering/gathering.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Takes things, and writes down how many came together, what was slept, and how often before each taking. */
function watch() {
  const slept: number[] = [];
  const sleptBefore: number[] = [];
  const taken: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    await turn();
    await turn();
  };
  const gathering = createGathering<number>({ sleep }, (things) => {
    taken.push(things.length);
    sleptBefore.push(slept.length);
  });
  /** Adds so many at once, and waits until something was taken. */
  const add = async (count: number, later = 0) => {
    const before = taken.length;
    for (let thing = 0; thing < count; thing += 1) {
      gathering.add(thing);
    }
    for (let thing = 0; thing < later; thing += 1) {
      await turn();
      gathering.add(thing);
    }
    while (taken.length === before) {
      await turn();
    }
  };
  return { add, slept, sleptBefore, taken };
}

describe("gathering", () => {
  it("lets the next one wait for nothing after what one caller asked for at once", async () => {
    const { add, slept, taken } = watch();
    await add(1);
    await add(2);
    await add(3);
    await add(1);
    expect(taken).toEqual([1, 2, 3, 1]);
    expect(slept).toEqual([0, 0, 0, 0]);
  });

  it("waits a moment after two callers came together", async () => {
    const { add, slept, taken } = watch();
    await add(1, 1);
    await add(1);
    expect([taken, slept]).toEqual([
      [2, 1],
      [0, 1],
    ]);
  });

  it.each([
    { what: "a slice, when nobody comes", first: 1, later: 0, slices: 1 },
    { what: "as long as each slice brings somebody", first: 1, later: 3, slices: 3 },
    { what: "until there is enough of it", first: 47, later: 40, slices: 1 },
    { what: "no longer than some milliseconds", first: 4, later: 100, slices: 12 },
  ])("waits under load $what", async ({ first, later, slices }) => {
    const { add, slept, sleptBefore } = watch();
    await add(4);
    await add(first, later);
    const [, before = 0] = sleptBefore;
    expect(slept.slice(1, before)).toEqual(Array(slices).fill(2));
  });
});
