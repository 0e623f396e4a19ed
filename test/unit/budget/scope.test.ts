import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUDGET_PERIODS, type Budget, type BudgetScope } from "../../../src/budget/budget.ts";
import { headroom } from "../../../src/budget/headroom.ts";
import { balanceKeys, budgetBalanceKey, budgetedCurrencies, scopeKey } from "../../../src/budget/scope.ts";
import { toMicros } from "../../../src/money/micros.ts";

const AT = Date.parse("2026-11-20T12:00:00Z");
const MOVEMENT = { host: "news.example", runId: "run_1", at: AT };

const budget = (scope: BudgetScope, period: Budget["period"] = "total", currency = "USD"): Budget => ({
  scope,
  period,
  limitMicros: toMicros(100),
  currency,
});

describe("balanceKeys", () => {
  it("names the nine rows that a movement in a run touches", () => {
    expect(balanceKeys(MOVEMENT)).toEqual([
      { scope: "all", period: "day:2026-11-20" },
      { scope: "site:news.example", period: "day:2026-11-20" },
      { scope: "all", period: "week:2026-W47" },
      { scope: "site:news.example", period: "week:2026-W47" },
      { scope: "all", period: "month:2026-11" },
      { scope: "site:news.example", period: "month:2026-11" },
      { scope: "all", period: "total" },
      { scope: "site:news.example", period: "total" },
      { scope: "run:run_1", period: "total" },
    ]);
  });

  it("names eight without a run", () => {
    const keys = balanceKeys({ ...MOVEMENT, runId: null });
    expect(keys).toHaveLength(8);
    expect(keys.some(({ scope }) => scope.startsWith("run:"))).toBe(false);
  });
});

describe("budgetBalanceKey", () => {
  it.each([
    [budget({ kind: "all" }, "month"), { scope: "all", period: "month:2026-11" }],
    [budget({ kind: "site", host: "news.example" }, "day"), { scope: "site:news.example", period: "day:2026-11-20" }],
    [budget({ kind: "site", host: "other.example" }, "day"), null],
    [budget({ kind: "run" }), { scope: "run:run_1", period: "total" }],
  ])("of %j", (given, key) => {
    expect(budgetBalanceKey(given, MOVEMENT)).toEqual(key);
  });

  it("is null for a run's budget where there is no run", () => {
    expect(budgetBalanceKey(budget({ kind: "run" }), { ...MOVEMENT, runId: null })).toBeNull();
  });

  it("is always one of the rows that the movement touches", () => {
    const scopes = fc.constantFrom<BudgetScope>(
      { kind: "all" },
      { kind: "run" },
      { kind: "site", host: "news.example" },
    );
    const instants = fc.integer({ min: 0, max: Date.parse("2199-01-01T00:00:00Z") });
    fc.assert(
      fc.property(scopes, fc.constantFrom(...BUDGET_PERIODS), instants, (scope, period, at) => {
        const movement = { ...MOVEMENT, at };
        expect(balanceKeys(movement)).toContainEqual(budgetBalanceKey(budget(scope, period), movement));
      }),
    );
  });
});

it("writes scopes as the configuration does", () => {
  expect(scopeKey({ kind: "all" })).toBe("all");
  expect(scopeKey({ kind: "run" })).toBe("run");
  expect(scopeKey({ kind: "site", host: "a.example" })).toBe("site:a.example");
});

it("lists the currencies of the budgets that can cover a host, in their order", () => {
  const budgets = [
    budget({ kind: "site", host: "b.example" }, "day", "GBP"),
    budget({ kind: "run" }, "total", "EUR"),
    budget({ kind: "all" }, "month", "USD"),
    budget({ kind: "site", host: "a.example" }, "day", "EUR"),
  ];
  expect([...budgetedCurrencies(budgets, "a.example")]).toEqual(["EUR", "USD"]);
  expect([...budgetedCurrencies(budgets, "b.example")]).toEqual(["GBP", "EUR", "USD"]);
});

describe("headroom", () => {
  const balance = (settled: number, inDoubt: number, reserved: number) => ({
    spentMicros: toMicros(settled),
    inDoubtMicros: toMicros(inDoubt),
    reservedMicros: toMicros(reserved),
  });

  it("is the limit less what is settled, in doubt and reserved", () => {
    expect(headroom(budget({ kind: "all" }), balance(10, 20, 30))).toBe(40);
    expect(headroom(budget({ kind: "all" }), balance(50, 50, 0))).toBe(0);
  });

  it("is negative when a limit was exceeded or lowered", () => {
    expect(headroom(budget({ kind: "all" }), balance(101, 0, 0))).toBe(-1);
  });
});
