import { expect, test } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import { digestOf } from "../../../src/plan/canonical-json.ts";
import {
  createPlanTally,
  formatPlanHeader,
  isPlanHeader,
  type PlanHeader,
  type PlanTally,
  parsePlanHeader,
} from "../../../src/plan/plan-header.ts";
import type { PlanLine } from "../../../src/plan/plan-line.ts";

const HEADER: PlanHeader = {
  createdAt: Date.UTC(2026, 10, 22),
  expiresAt: Date.UTC(2026, 10, 23),
  pages: 2,
  setAsideMicros: { USD: toMicros(30_000), EUR: toMicros(5_000) },
  digest: "d".repeat(64),
  basis: { purchase: 7, run: "run_a" },
  terms: {
    gateway: { baseUrl: "http://127.0.0.1:1", service: "Service", agentId: "acme" },
    order: "catalog",
    policies: {
      standard: { intent: "content", format: "markdown", prefer: "cheapest", inDoubt: "hold", rules: [{ allow: {} }] },
    },
    sites: {
      "news.example": {
        policy: "standard",
        include: [],
        exclude: [],
        refresh: { when: "modified" },
        reporting: { kinds: ["fetch"], billed: [] },
      },
    },
  },
};

function line(micros: number, currency = "USD"): PlanLine {
  const maxPrice = { micros: toMicros(micros), currency };
  const planned = { price: maxPrice, setAside: maxPrice, license: { licenseType: "ON_DEMAND_LICENSE", cuid: null } };
  return { url: "https://news.example/a", planned, maxPrice, policy: "p", ruleIndex: 0, value: null, key: null };
}

test("the first line is read back as it was written, and shows that the file is a plan", () => {
  const text = formatPlanHeader(HEADER);
  expect(parsePlanHeader(text)).toEqual({ ...HEADER, planDigest: JSON.parse(text).check });
  expect(isPlanHeader(text)).toBe(true);
  expect(isPlanHeader('{"url":"https://news.example/licetPlan"}')).toBe(false);
});

test("a first line without its basis is of an earlier version, and is read", () => {
  const { check: _, basis: __, ...sealed } = JSON.parse(formatPlanHeader(HEADER));
  expect(parsePlanHeader(JSON.stringify({ ...sealed, check: digestOf(sealed) }))).toMatchObject({ basis: null });
});

test("two plans with the same lines have two digests, and each copy of a plan has its own plan's", () => {
  const digests = [HEADER, HEADER, { ...HEADER, createdAt: HEADER.createdAt + 1 }, { ...HEADER, basis: null }].map(
    (header) => parsePlanHeader(formatPlanHeader(header)),
  );
  expect(new Set(digests.map((header) => (typeof header === "string" ? header : header.planDigest))).size).toBe(3);
});

test.each([
  ["another basis", { basis: null }, /changed by hand/],
  ["another expiry", { expiresAt: "2030-01-01T00:00:00.000Z" }, /changed by hand/],
  ["a greater sum", { cost: { USD: "9 USD" } }, /changed by hand/],
  ["a newer version", { licetPlan: 2 }, /plans of version 1 only/],
  ["no configuration", { configuration: undefined }, /configuration/],
])("a first line with %s is not believed", (_, changes, problem) => {
  expect(parsePlanHeader(JSON.stringify({ ...JSON.parse(formatPlanHeader(HEADER)), ...changes }))).toMatch(problem);
});

test("the lines are added up by currency, and their digest is of their texts in order", () => {
  const [forward, backward] = [createPlanTally(), createPlanTally()];
  forward.add("one", line(10));
  forward.add("two", line(5, "EUR"));
  backward.add("two", line(5, "EUR"));
  backward.add("one", line(10));
  expect(forward.totals()).toMatchObject({ pages: 2, setAsideMicros: { USD: 10, EUR: 5 } });
  expect(forward.totals().digest).not.toBe(backward.totals().digest);
});

test.each<[string, PlanLine[], RegExp]>([
  ["are too many", [line(1), line(1), line(1)], /more than the 2 pages/],
  ["cost too much", [line(30_001)], /come to 0.030001 USD, and its first line names 0.03 USD/],
  ["are in another currency", [line(1, "GBP")], /first line names 0.00 GBP/],
])("lines that %s go beyond what was planned", (_, lines, problem) => {
  expect(tallyOf(lines).findExcess(HEADER)).toMatch(problem);
});

test("lines that were taken out or lowered are at most what was planned", () => {
  expect(tallyOf([line(29_999)]).findExcess(HEADER)).toBeNull();
  expect(tallyOf([line(30_000), line(5_000, "EUR")]).findExcess(HEADER)).toBeNull();
});

function tallyOf(lines: readonly PlanLine[]): PlanTally {
  const tally = createPlanTally();
  for (const one of lines) {
    tally.add("text", one);
  }
  return tally;
}
