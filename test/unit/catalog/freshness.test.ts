import { describe, expect, it } from "vitest";
import { isLaterDate, isWorthQuoting, type StoredVersion } from "../../../src/catalog/freshness.ts";

const NOON = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
const MODIFIED = { when: "modified", maxAgeMs: null } as const;

const entry = (lastMod: string | null, lastModAt: number | null) => ({ lastMod, lastModAt });
const stored = (lastMod: string | null, lastModAt: number | null): StoredVersion => ({
  boughtAt: NOON,
  lastMod,
  lastModAt,
  askedAt: null,
  datedAs: null,
  runBegunAt: null,
});

describe("a page that is stored", () => {
  it("is worth quoting again when the catalog shows a newer version", () => {
    expect(isWorthQuoting(entry("b", NOON + 1), stored("a", NOON), MODIFIED, NOON)).toBe(true);
    expect(isWorthQuoting(entry("b", NOON), stored("a", NOON), MODIFIED, NOON)).toBe(false);
    expect(isWorthQuoting(entry("b", NOON - 1), stored("a", NOON), MODIFIED, NOON)).toBe(false);
  });

  it("is not bought again on every run because of a date in the future, which each walk treats as now", () => {
    const future = "2099-01-01";
    expect(isWorthQuoting(entry(future, NOON + HOUR_MS), stored(future, NOON), MODIFIED, NOON + HOUR_MS)).toBe(false);
  });

  it("is bought again for a date in the future only when its date was changed later", () => {
    const later = NOON + HOUR_MS;
    const future = stored("2098-01-01", NOON);
    expect(isWorthQuoting(entry("2099-01-01", later), future, MODIFIED, later)).toBe(true);
    expect(isWorthQuoting(entry("2097-01-01", later), future, MODIFIED, later)).toBe(false);
    // A catalog that corrects its date shows a version of today.
    expect(isWorthQuoting(entry("2026-11-20T12:00:00.001Z", NOON + 1), future, MODIFIED, later)).toBe(true);
  });

  it("is not bought again before it has the site's least age, whatever the catalog says", () => {
    const terms = { when: "modified", maxAgeMs: HOUR_MS, minAgeMs: HOUR_MS } as const;
    const newer = entry("b", NOON + 1);
    expect(isWorthQuoting(newer, stored("a", NOON), terms, NOON + HOUR_MS - 1)).toBe(false);
    expect(isWorthQuoting(newer, stored("a", NOON), { ...terms, when: "always" }, NOON + HOUR_MS - 1)).toBe(false);
    expect(isWorthQuoting(newer, stored("a", NOON), terms, NOON + HOUR_MS)).toBe(true);
    expect(isWorthQuoting(newer, null, terms, NOON)).toBe(true);
    expect(isWorthQuoting(newer, stored("a", NOON), { ...terms, minAgeMs: null }, NOON + 1)).toBe(true);
    // A clock that was set back makes nothing too young by itself.
    expect(isWorthQuoting(newer, stored("a", NOON), { ...terms, minAgeMs: 0 }, NOON - 1)).toBe(true);
  });

  it("is compared by the text if a date cannot be read, and not at all without a date", () => {
    expect(isWorthQuoting(entry("yesterday", null), stored("monday", NOON), MODIFIED, NOON)).toBe(true);
    expect(isWorthQuoting(entry("yesterday", null), stored("yesterday", null), MODIFIED, NOON)).toBe(false);
    expect(isWorthQuoting(entry(null, null), stored("yesterday", null), MODIFIED, NOON)).toBe(false);
  });

  it("is compared by the time of its purchase if it was bought without a date, as a list or a fetch buys it", () => {
    const dated = (at: number) => entry(new Date(at).toISOString(), at);
    expect(isWorthQuoting(dated(NOON), stored(null, null), MODIFIED, NOON)).toBe(false);
    expect(isWorthQuoting(dated(NOON + 1), stored(null, null), MODIFIED, NOON + 1)).toBe(true);
    expect(isWorthQuoting(dated(NOON), { ...stored(null, null), askedAt: NOON - 1 }, MODIFIED, NOON)).toBe(true);
  });

  it("is not replaced, if it was bought without a date, by a date that does not say when, until the catalog gives another one", () => {
    const ask = (lastMod: string, lastModAt: number | null, datedAs: string | null) =>
      isWorthQuoting(entry(lastMod, lastModAt), { ...stored(null, null), datedAs }, MODIFIED, NOON + HOUR_MS);
    expect(ask("soon", null, null)).toBe(false);
    expect(ask("soon", null, "soon")).toBe(false);
    expect(ask("later", null, "soon")).toBe(true);
    expect(ask("2099-01-01", NOON + HOUR_MS, null)).toBe(false);
    expect(ask("2099-01-01", NOON + HOUR_MS, "2099-01-01")).toBe(false);
    expect(ask("2099-01-02", NOON + HOUR_MS, "2099-01-01")).toBe(true);
    expect(ask("2098-01-01", NOON + HOUR_MS, "2099-01-01")).toBe(false);
    expect(ask("2026-11-20T12:30:00Z", NOON + HOUR_MS / 2, "soon")).toBe(true);
    expect(ask("2026-11-20T11:30:00Z", NOON - HOUR_MS / 2, "soon")).toBe(false);
    // The date that lay ahead has come.
    expect(ask("2026-11-20T12:30:00Z", NOON + HOUR_MS / 2, "2026-11-20T12:30:00Z")).toBe(false);
  });

  it("is compared by the beginning of its run if a clock that was ahead recorded its purchase", () => {
    const listed = entry(new Date(NOON).toISOString(), NOON);
    const ahead = { ...stored(null, null), boughtAt: NOON + 400 * 24 * HOUR_MS };
    const ask = (version: object) => isWorthQuoting(listed, { ...ahead, ...version }, MODIFIED, NOON + HOUR_MS);
    expect(ask({})).toBe(true);
    expect(ask({ runBegunAt: NOON - 1 })).toBe(true);
    expect(ask({ runBegunAt: NOON })).toBe(false);
    // The same clock has recorded it.
    expect(ask({ runBegunAt: NOON + 2 * HOUR_MS + 1 })).toBe(true);
    // The gateway's clock says when it was asked for.
    expect(ask({ askedAt: NOON })).toBe(false);
    expect(ask({ askedAt: NOON - 1 })).toBe(true);
    expect(ask({ askedAt: NOON + 400 * 24 * HOUR_MS })).toBe(true);
    // Ours is hours behind: the gateway's time says that the answer is not of the future.
    const behind = (terms: Parameters<typeof isWorthQuoting>[2]) =>
      isWorthQuoting(listed, { ...ahead, askedAt: NOON }, terms, NOON - 2 * HOUR_MS);
    expect(behind(MODIFIED)).toBe(true);
    expect(behind({ ...MODIFIED, gatewayAt: NOON + HOUR_MS })).toBe(false);
  });

  it("is out of date exactly at the end of its age", () => {
    const terms = { when: "modified", maxAgeMs: HOUR_MS } as const;
    expect(isWorthQuoting(entry("a", NOON), stored("a", NOON), terms, NOON + HOUR_MS - 1)).toBe(false);
    expect(isWorthQuoting(entry("a", NOON), stored("a", NOON), terms, NOON + HOUR_MS)).toBe(true);
  });

  it("is of any age if a clock that was ahead recorded its settlement, and not if clocks differ a little", () => {
    const terms = { when: "modified", maxAgeMs: 30 * 24 * HOUR_MS } as const;
    expect(isWorthQuoting(entry("a", NOON), stored("a", NOON), terms, NOON - HOUR_MS - 1)).toBe(true);
    expect(isWorthQuoting(entry("a", NOON), stored("a", NOON), terms, NOON - HOUR_MS)).toBe(false);
    expect(isWorthQuoting(entry("a", NOON), stored("a", NOON), MODIFIED, NOON - 2 * HOUR_MS)).toBe(false);
    const young = { ...MODIFIED, minAgeMs: 24 * HOUR_MS };
    expect(isWorthQuoting(entry("b", NOON + 1), stored("a", NOON), young, NOON - 2 * HOUR_MS)).toBe(true);
  });

  it("is looked at always or never if the site says so", () => {
    const same = [entry("a", NOON), stored("a", NOON)] as const;
    expect(isWorthQuoting(...same, { when: "always", maxAgeMs: null }, NOON)).toBe(true);
    expect(isWorthQuoting(entry("b", NOON + 1), stored("a", NOON), { when: "never", maxAgeMs: 0 }, NOON)).toBe(false);
    expect(isWorthQuoting(entry("a", NOON), null, { when: "never", maxAgeMs: null }, NOON)).toBe(true);
  });
});

describe("of two dates of one page in one walk", () => {
  it.each([
    ["the newer one counts", entry("b", NOON + 1), entry("a", NOON), true],
    ["an older one does not", entry("a", NOON), entry("b", NOON + 1), false],
    ["an equal one does not", entry("a", NOON), entry("b", NOON), false],
    ["one that can be read outdoes one that cannot", entry("2026-11-20", NOON), entry("soon", null), true],
    ["one that cannot be read outdoes none that can", entry("soon", null), entry("2026-11-20", NOON), false],
    ["one that cannot be read outdoes no other such", entry("soon", null), entry("late", null), false],
    ["any outdoes a missing one", entry("soon", null), entry(null, null), true],
    ["a missing one outdoes nothing", entry(null, null), entry(null, null), false],
    ["in the future, the later one", entry("2099-01-01", NOON), entry("2098-01-01", NOON), true],
    ["in the future, not the earlier one", entry("2098-01-01", NOON + 1), entry("2099-01-01", NOON), false],
  ])("%s", (_, later, known, expected) => {
    expect(isLaterDate(later, known)).toBe(expected);
  });
});
