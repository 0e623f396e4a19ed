import { describe, expect, it } from "vitest";
import { ALERT_KINDS } from "../../../src/alert/alert.ts";
import type { AlertFacts, BudgetFact, OpenItemFact } from "../../../src/alert/alert-facts.ts";
import { findAlerts } from "../../../src/alert/find-alerts.ts";
import { watchBudgets } from "../../../src/alert/watched-budgets.ts";
import type { Budget } from "../../../src/budget/budget.ts";
import { toMicros, ZERO_MICROS } from "../../../src/money/micros.ts";

const NOW = Date.UTC(2026, 10, 22, 12);
const NOTHING: AlertFacts = {
  budgets: [],
  failedRuns: [],
  failedSlots: [],
  doubts: [],
  openItems: [],
  unreported: null,
  waits: [],
};
/** There is room enough on the disk. */
const AT = { now: NOW, lowDisk: null };
const ALL = { kinds: new Set(ALERT_KINDS), unreportedForMs: [60_000, 3_600_000] };

function toBudget(changes: Partial<Budget> = {}): Budget {
  return { scope: { kind: "all" }, period: "day", limitMicros: toMicros(5_000_000), currency: "USD", ...changes };
}

function toFact(usedMicros: number, spentAt: number | null = null): BudgetFact {
  const balance = { spentMicros: toMicros(usedMicros), inDoubtMicros: ZERO_MICROS, reservedMicros: ZERO_MICROS };
  const key = { scope: "all", period: "day:2026-11-22", currency: "USD" };
  return { budget: toBudget(), key, balance, spentAt };
}

function toItems(count: number): OpenItemFact[] {
  return Array.from({ length: count }, (_, index) => {
    return { id: index + 1, kind: "overcharged", detail: "d", url: null, host: "news.example", at: NOW };
  });
}

describe("findAlerts", () => {
  it("finds nothing in a ledger in which nothing happened", () => {
    expect(findAlerts(NOTHING, ALL, AT)).toEqual([]);
  });

  it.each([
    [3_999_999, null, []],
    [4_000_000, null, ["budget_80"]],
    [4_000_000, NOW, ["budget_80", "budget_exhausted"]],
    [1_000_000, NOW, ["budget_exhausted"]],
  ])("says of a budget with %i of 5,000,000 micros used, spent at %s: %j", (used, spentAt, kinds) => {
    const found = findAlerts({ ...NOTHING, budgets: [toFact(used, spentAt)] }, ALL, AT);
    expect(found.map(({ kind }) => kind)).toEqual(kinds);
  });

  it("says in a sentence which budget it is, in which period, and its limit", () => {
    const [found] = findAlerts({ ...NOTHING, budgets: [toFact(4_100_000)] }, ALL, AT);
    expect(found?.message).toBe("82 % of the budget all of day 2026-11-22 (USD) is used; its limit is 5.00 USD");
  });

  it.each([
    [1, "in_doubt:run_1:1"],
    [9, "in_doubt:run_1:1"],
    [10, "in_doubt:run_1:2"],
    [100, "in_doubt:run_1:3"],
  ])("tells of the doubts of a run once, and again when there are ten times as many: %i", (count, key) => {
    const found = findAlerts(
      { ...NOTHING, doubts: [{ runId: "run_1", host: null, reason: "unanswered", count, newestAt: NOW }] },
      ALL,
      AT,
    );
    expect(found.map((alert) => alert.key)).toEqual([key]);
  });

  it("tells of each open item, and of more than 20 at once in one alert", () => {
    const few = findAlerts({ ...NOTHING, openItems: toItems(20) }, ALL, AT);
    expect(few.filter(({ isSilent }) => !isSilent)).toHaveLength(20);
    const many = findAlerts({ ...NOTHING, openItems: toItems(21) }, ALL, AT);
    expect(many.filter(({ isSilent }) => !isSilent).map(({ key }) => key)).toEqual(["open_item:1..21"]);
    expect(many).toHaveLength(22);
  });

  it("tells of unreported uses for each duration that has passed", () => {
    const unreported = { uses: 3, oldestAt: NOW - 60_000, oldestUseId: 4, newestUseId: 9 };
    const found = findAlerts({ ...NOTHING, unreported }, ALL, AT);
    expect(found).toMatchObject([{ unreportedForMs: 60_000, details: { uses: 3 } }]);
    const [{ key, unless } = { key: "", unless: null }] = found;
    expect(key >= (unless?.from ?? "") && key < (unless?.below ?? "")).toBe(true);
  });

  it("says what each is about, why, and the first command", () => {
    const facts: AlertFacts = {
      ...NOTHING,
      failedRuns: [{ runId: "run_1", host: "news.example", stop: null, reason: "DISK_FULL: it is full", endedAt: NOW }],
      failedSlots: [{ schedule: "site:news.example", firstSlotAt: NOW, slots: 2, reason: "CLOCK_BEHIND: set it" }],
      doubts: [{ runId: "run_2", host: null, reason: "token_spent", count: 1, newestAt: NOW }],
      openItems: toItems(1),
      unreported: { uses: 1, oldestAt: 0, oldestUseId: 1, newestUseId: 1 },
      budgets: [toFact(0, NOW)],
    };
    const about = findAlerts(facts, { ...ALL, unreportedForMs: [60_000] }, AT).map(
      ({ kind, site, run, code, command }) => [kind, site, run, code, command],
    );
    expect(about).toEqual([
      ["budget_exhausted", null, null, "budget_exhausted", "licet status"],
      ["run_failed", "news.example", "run_1", "DISK_FULL", "licet runs run_1"],
      ["slot_failed", "news.example", null, "CLOCK_BEHIND", "licet schedule --site news.example"],
      ["in_doubt", null, "run_2", "token_spent", "licet runs run_2 --state in_doubt"],
      ["open_item", "news.example", null, "overcharged", "licet status --all"],
      ["unreported_for", null, null, "unreported", "licet report"],
    ]);
  });

  it.each([
    ["gateway", "GATEWAY_TIMEOUT", "gateway_away", "licet check"],
    ["disk", "DISK_FULL", "waiting", "licet status"],
  ] as const)(
    "tells of a wait for the %s after five minutes, once, also when more runs wait",
    (place, code, kind, command) => {
      const wait = { place, code, message: "m", since: NOW - 299_999, runIds: ["run_1"] };
      expect(findAlerts({ ...NOTHING, waits: [wait] }, ALL, AT)).toEqual([]);
      const long = { ...wait, since: NOW - 300_000 };
      const [one] = findAlerts({ ...NOTHING, waits: [long] }, ALL, AT);
      expect(one).toMatchObject({ kind, run: "run_1", code, command });
      const [two] = findAlerts({ ...NOTHING, waits: [{ ...long, runIds: ["run_1", "run_2"] }] }, ALL, AT);
      expect(two).toMatchObject({ key: one?.key, run: null });
      expect(two?.message).toContain("2 runs wait");
    },
  );

  it("tells of little room once a day", () => {
    const lowDisk = { freeBytes: 123_000_000, lowDiskBytes: 500_000_000 };
    const [found] = findAlerts(NOTHING, ALL, { now: NOW, lowDisk });
    expect(found).toMatchObject({ key: "ledger_low_disk:2026-11-22", code: "DISK_FULL", command: "licet check" });
    expect(found?.message).toBe("123 MB are free on the disk of the ledger, fewer than 500 MB");
    expect(findAlerts(NOTHING, ALL, { now: NOW + 3_600_000, lowDisk })[0]?.key).toBe(found?.key);
  });

  it("finds only the kinds that somebody wants", () => {
    const facts = { ...NOTHING, budgets: [toFact(5_000_000, NOW)], openItems: toItems(1) };
    const found = findAlerts(facts, { kinds: new Set(["open_item"]), unreportedForMs: [] }, AT);
    expect(found.map(({ kind }) => kind)).toEqual(["open_item"]);
  });
});

describe("watchBudgets", () => {
  const periodsOf = (budget: Budget, at: number) =>
    watchBudgets([budget], at, ["run_1", "run_2"]).map(({ key }) => `${key.scope} ${key.period}`);

  it.each([
    ["day", Date.UTC(2027, 0, 1), ["all day:2027-01-01", "all day:2026-12-31"]],
    ["week", Date.UTC(2026, 10, 23), ["all week:2026-W48", "all week:2026-W47"]],
    ["month", Date.UTC(2026, 4, 1, 23), ["all month:2026-05", "all month:2026-04"]],
    ["month", Date.UTC(2026, 4, 2), ["all month:2026-05"]],
    ["total", NOW, ["all total"]],
  ] as const)("looks at the present %s, and for a day at the one before", (period, at, expected) => {
    expect(periodsOf(toBudget({ period }), at)).toEqual(expected);
  });

  it("looks at each run for a budget of runs", () => {
    const budget = toBudget({ scope: { kind: "run" }, period: "total" });
    expect(periodsOf(budget, NOW)).toEqual(["run:run_1 total", "run:run_2 total"]);
  });
});
