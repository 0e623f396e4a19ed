/** How long things wait for company: who is alone waits for nothing, because somebody waits for the answer. */
import { describe, expect, it } from "vitest";
import { createGathering } from "../../../src/ledger/gathering/gathering.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Takes things, and writes down how many came together and what was slept before. */
function watch() {
  const slept: number[] = [];
  const taken: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    await turn();
    await turn();
  };
  const gathering = createGathering<number>({ sleep }, (things) => taken.push(things.length));
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
  return { add, slept, taken };
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

  it("waits a moment after two callers came together, and longer under load", async () => {
    const { add, slept, taken } = watch();
    await add(1, 1);
    await add(1);
    expect([taken, slept]).toEqual([
      [2, 1],
      [0, 1],
    ]);
    await add(4);
    await add(1);
    expect(slept.slice(2)).toEqual([0, 5, 5]);
  });
});
