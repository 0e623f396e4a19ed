import { describe, expect, it } from "vitest";
import { read } from "../tidy/repository.ts";
import { MUTANTS } from "./mutants.mjs";

describe("the mutants", () => {
  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))("still have their place: %s", (_name, mutant) => {
    const source = read(mutant.file);
    expect(source.split(mutant.find)).toHaveLength(2);
    expect(mutant.replace).not.toBe(mutant.find);
  });

  it("are at least sixty, each with a name of its own, and meet every promise", () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
    expect([...new Set(MUTANTS.map(({ promise }) => promise))].sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
});
