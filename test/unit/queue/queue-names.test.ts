import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STAGES } from "../../../src/queue/queue.ts";
import { jobIdOf, queueName } from "../../../src/queue/queue-names.ts";

/** Well-formed text: what cannot be written as UTF-8 can be no lease id, which comes out of SQLite. */
const anyText = fc.string({ unit: "grapheme" });

describe("the names in BullMQ", () => {
  it("hold nothing that BullMQ, a key or a pattern gives a meaning to", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...STAGES), (text, stage) => {
        expect(jobIdOf(text)).not.toMatch(/[:*?[\]\s]|^\d/);
        expect(queueName(text, stage)).not.toMatch(/[:*?[\]\s]/);
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

  it("differ for different prefixes and stages", () => {
    const stage = fc.constantFrom(...STAGES);
    fc.assert(
      fc.property(anyText, stage, anyText, stage, (a, stageA, b, stageB) => {
        expect(queueName(a, stageA) === queueName(b, stageB)).toBe(a === b && stageA === stageB);
      }),
    );
  });
});
