import { describe, expect, test } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import { formatPlanLine, isLowered, type PlanLine, parsePlanLine } from "../../../src/plan/plan-line.ts";

const LINE: PlanLine = {
  url: "https://news.example/a",
  planned: {
    price: { micros: toMicros(10_000), currency: "USD" },
    setAside: { micros: toMicros(10_250), currency: "USD" },
    license: { licenseType: "CUSTOM_LICENSE", cuid: "abc123" },
  },
  maxPrice: { micros: toMicros(10_250), currency: "USD" },
  policy: "standard",
  ruleIndex: 1,
  value: 3,
  key: "row-7",
};
const INDEXED: PlanLine = { ...LINE, planned: null, maxPrice: null, value: null, key: null };

/** The line after a person changed some of its fields; undefined removes one. */
function edit(changes: Readonly<Record<string, unknown>>, line = LINE): string {
  return JSON.stringify({ ...(JSON.parse(formatPlanLine(line)) as object), ...changes });
}

test("a line of a plan is a line of a list with its cap, and is read back as it was written", () => {
  const text = formatPlanLine(LINE);
  expect(JSON.parse(text)).toMatchObject({
    url: "https://news.example/a",
    maxPrice: "0.01025 USD",
    license: { licenseType: "CUSTOM_LICENSE", cuid: "abc123" },
    price: "0.01 USD",
    setAside: "0.01025 USD",
    policy: "standard",
    rule: 2,
    value: 3,
    key: "row-7",
  });
  expect(parsePlanLine(text)).toEqual(LINE);
  expect(parsePlanLine(formatPlanLine(INDEXED))).toEqual(INDEXED);
});

describe("a person may", () => {
  test("lower the price", () => {
    const lowered = parsePlanLine(edit({ maxPrice: "0.01 USD" })) as PlanLine;
    expect(lowered.maxPrice).toEqual({ micros: 10_000, currency: "USD" });
    expect([isLowered(lowered), isLowered(LINE)]).toEqual([true, false]);
  });

  test("change the value and the key of the list", () => {
    expect(parsePlanLine(edit({ value: 9, key: undefined }))).toEqual({ ...LINE, value: 9, key: null });
  });
});

describe("a person may not", () => {
  test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ["raise the price", { maxPrice: "0.010251 USD" }, /may cost 0.01025 USD by the plan/],
    ["change its currency", { maxPrice: "0.01 EUR" }, /may only be lowered/],
    ["take the cap away", { maxPrice: undefined }, /has no maxPrice/],
    ["raise what was planned with it", { maxPrice: "0.02 USD", setAside: "0.02 USD" }, /changed by hand/],
    ["name another page", { url: "https://news.example/b" }, /changed by hand \(https:\/\/news.example\/b\)/],
    ["name another license", { license: { licenseType: "ON_DEMAND_LICENSE", cuid: null } }, /changed by hand/],
    ["add a field", { rate: 1 }, /rate/],
    ["write no amount", { maxPrice: "cheap" }, /"cheap" is not an amount/],
  ])("%s", (_, changes, problem) => {
    expect(parsePlanLine(edit(changes))).toMatch(problem);
  });

  test("give a page a price that is only indexed", () => {
    expect(parsePlanLine(edit({ maxPrice: "1 USD" }, INDEXED))).toMatch(/only indexed/);
  });

  test("add a line of a plain list", () => {
    expect(parsePlanLine('{"url":"https://news.example/c","maxPrice":"1 USD"}')).toMatch(/policy/);
  });

  test("cut a line off", () => {
    expect(parsePlanLine(formatPlanLine(LINE).slice(0, -5))).toMatch(/cut off/);
  });
});
