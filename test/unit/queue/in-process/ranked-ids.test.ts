import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RankedIds, sliceInclusive } from "../../../../src/queue/in-process/ranked-ids.ts";

type Step =
  | readonly ["set", string, number]
  | readonly ["delete" | "addFirst" | "addLast", string]
  | readonly ["takeFirst"];

const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constant("set" as const), id, fc.integer({ min: 0, max: 3 })),
  fc.tuple(fc.constantFrom("delete" as const, "addFirst" as const, "addLast" as const), id),
  fc.constant(["takeFirst"] as const),
);

/** The same by a plain list that is sorted anew each time. */
class Model {
  entries: { id: string; rank: number }[] = [];

  run(one: Step): void {
    const [kind, id = ""] = one;
    if (kind === "takeFirst") {
      this.entries.shift();
      return;
    }
    // Like the real one, the ends are those before the id is taken out.
    const [first, last] = [this.entries[0]?.rank ?? 0, this.entries.at(-1)?.rank ?? 0];
    this.entries = this.entries.filter((entry) => entry.id !== id);
    if (kind !== "delete") {
      const rank = kind === "set" ? one[2] : kind === "addFirst" ? first - 1 : last + 1;
      this.entries.push({ id, rank });
    }
    this.entries.sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
  }
}

function run(ids: RankedIds, one: Step): void {
  if (one[0] === "set") {
    ids.set(one[1], one[2]);
  } else if (one[0] === "takeFirst") {
    ids.takeFirst();
  } else {
    ids[one[0]](one[1]);
  }
}

describe("ranked ids", () => {
  test("are in the order of their ranks, and of their text where the ranks are equal, whatever is done to them", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const [ids, model] = [new RankedIds(), new Model()];
        for (const one of steps) {
          run(ids, one);
          model.run(one);
          const expected = model.entries.map((entry) => entry.id);
          expect(ids.ids()).toEqual(expected);
          expect([ids.size, ids.first()?.id, ids.last()?.id]).toEqual([expected.length, expected[0], expected.at(-1)]);
          const low = model.entries.filter(({ rank }) => rank < 2);
          expect(ids.upTo(1)).toEqual(low.map((entry) => entry.id));
          expect(ids.lastBelow(2)?.id).toBe(low.at(-1)?.id);
          expect(ids.countBetween(1, 2)).toBe(model.entries.filter(({ rank }) => rank === 1).length);
        }
      }),
    );
  });

  test("stay in order over thousands that come at one end and go at the other", () => {
    const ids = new RankedIds();
    const taken: (string | undefined)[] = [];
    for (let number = 0; number < 10_000; number++) {
      ids.addLast(`id-${number}`);
      if (number % 3 > 0) {
        taken.push(ids.takeFirst());
      }
    }
    const all = [...taken, ...ids.ids()];
    expect(all).toEqual(Array.from({ length: 10_000 }, (_, number) => `id-${number}`));
  });
});

describe("a part of a list by inclusive indexes", () => {
  test.each([
    [0, -1, "abcd"],
    [1, 2, "bc"],
    [-2, -1, "cd"],
    [-9, 1, "ab"],
    [2, 99, "cd"],
    [3, 2, ""],
    [7, 9, ""],
    [0, -9, ""],
  ])("%i to %i is %j", (start, end, expected) => {
    expect(sliceInclusive([..."abcd"], start, end).join("")).toBe(expected);
  });
});
