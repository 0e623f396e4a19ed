import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STAGES } from "../../../src/queue/queue.ts";
import { clusterKeyPrefix, jobIdOf, ownersName, queueName, schedulesName } from "../../../src/queue/queue-names.ts";

/** Well-formed text: what cannot be written as UTF-8 cannot be a lease id, which comes out of SQLite. */
const anyText = fc.string({ unit: "grapheme" });

describe("the names in BullMQ", () => {
  it("contain nothing that has a meaning for BullMQ, a key or a pattern", () => {
    fc.assert(
      fc.property(anyText, anyText, fc.constantFrom(...STAGES), (text, other, stage) => {
        expect(jobIdOf(text)).not.toMatch(/[:*?[\]\s]|^\d/);
        expect(queueName(text, other, stage)).not.toMatch(/[:*?[\]\s]/);
        expect(ownersName(text)).not.toMatch(/[:*?[\]\s]/);
      }),
    );
  });

  it("differ for different lease ids", () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(jobIdOf(a) === jobIdOf(b)).toBe(a === b);
      }),
    );
  });

  it("differ for different prefixes, owners and stages", () => {
    const name = fc.tuple(
      fc.string({ unit: fc.constantFrom("a", "-", "/", "%") }),
      anyText,
      fc.constantFrom(...STAGES),
    );
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(queueName(...a) === queueName(...b)).toBe(a.every((part, index) => part === b[index]));
        expect(queueName(...a)).not.toBe(ownersName(b[0]));
      }),
    );
  });

  it("of one ledger are in one slot of a Cluster, whatever its prefix, and those of another in another", () => {
    const tagOf = (name: string) => /^licet:\{([^{}]+)\}$/.exec(clusterKeyPrefix(name))?.[1];
    const text = fc.string({ unit: "grapheme", minLength: 1 });
    fc.assert(
      fc.property(text, text, anyText, fc.constantFrom(...STAGES), (prefix, other, owner, stage) => {
        const tag = tagOf(ownersName(prefix));
        expect(tag).toBeDefined();
        expect([tagOf(queueName(prefix, owner, stage)), tagOf(schedulesName(prefix))]).toEqual([tag, tag]);
        expect(tagOf(ownersName(other)) === tag).toBe(prefix === other);
      }),
    );
  });
});
