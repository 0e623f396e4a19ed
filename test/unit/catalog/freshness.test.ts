import { describe, expect, it } from "vitest";
import { isWorthQuoting } from "../../../src/catalog/freshness.ts";

const NOON = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
const MODIFIED = { when: "modified", maxAgeMs: null } as const;

const entry = (lastMod: string | null, lastModAt: number | null) => ({ lastMod, lastModAt });
const held = (lastMod: string | null, lastModAt: number | null) => ({ settledAt: NOON, lastMod, lastModAt });

describe("a page that is held", () => {
  it("is worth quoting again when the catalog shows a newer version", () => {
    expect(isWorthQuoting(entry("b", NOON + 1), held("a", NOON), MODIFIED, NOON)).toBe(true);
    expect(isWorthQuoting(entry("b", NOON), held("a", NOON), MODIFIED, NOON)).toBe(false);
    expect(isWorthQuoting(entry("b", NOON - 1), held("a", NOON), MODIFIED, NOON)).toBe(false);
  });

  it("is not bought again on every run because its date lies in the future, where each walk takes it for the present", () => {
    const future = "2099-01-01";
    expect(isWorthQuoting(entry(future, NOON + HOUR_MS), held(future, NOON), MODIFIED, NOON + HOUR_MS)).toBe(false);
  });

  it("goes by the text where a date cannot be read, and by nothing where there is none", () => {
    expect(isWorthQuoting(entry("yesterday", null), held("monday", NOON), MODIFIED, NOON)).toBe(true);
    expect(isWorthQuoting(entry("yesterday", null), held("yesterday", null), MODIFIED, NOON)).toBe(false);
    expect(isWorthQuoting(entry(null, null), held("yesterday", null), MODIFIED, NOON)).toBe(false);
    expect(isWorthQuoting(entry("2026-11-20", NOON), held(null, null), MODIFIED, NOON)).toBe(true);
  });

  it("outlives its age exactly at its end", () => {
    const terms = { when: "modified", maxAgeMs: HOUR_MS } as const;
    expect(isWorthQuoting(entry("a", NOON), held("a", NOON), terms, NOON + HOUR_MS - 1)).toBe(false);
    expect(isWorthQuoting(entry("a", NOON), held("a", NOON), terms, NOON + HOUR_MS)).toBe(true);
  });

  it("is looked at always or never where the site says so", () => {
    const same = [entry("a", NOON), held("a", NOON)] as const;
    expect(isWorthQuoting(...same, { when: "always", maxAgeMs: null }, NOON)).toBe(true);
    expect(isWorthQuoting(entry("b", NOON + 1), held("a", NOON), { when: "never", maxAgeMs: 0 }, NOON)).toBe(false);
    expect(isWorthQuoting(entry("a", NOON), null, { when: "never", maxAgeMs: null }, NOON)).toBe(true);
  });
});
