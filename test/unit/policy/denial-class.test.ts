import fc from "fast-check";
import { expect, it } from "vitest";
import { CLASS_OF_DENIAL, countByClass, DENIAL_CLASSES } from "../../../src/policy/denial-class.ts";
import { DENIAL_REASONS } from "../../../src/policy/verdict.ts";

it("gives each denial reason one class, and each class a reason", () => {
  expect(Object.keys(CLASS_OF_DENIAL).sort()).toEqual([...DENIAL_REASONS].sort());
  expect(new Set(Object.values(CLASS_OF_DENIAL))).toEqual(new Set(DENIAL_CLASSES));
});

it("splits denials into classes that add up to them", () => {
  const denials = fc.dictionary(fc.constantFrom(...DENIAL_REASONS), fc.nat({ max: 1_000_000 }));
  fc.assert(
    fc.property(denials, (counts) => {
      const sum = (of: object) => Object.values(of).reduce((total: number, count: number) => total + count, 0);
      expect(sum(countByClass(counts))).toBe(sum(counts));
    }),
  );
});
