import { describe, expect, test } from "vitest";
import {
  exitCodeOfCheck,
  exitCodeOfError,
  exitCodeOfFlush,
  exitCodeOfPlan,
  exitCodeOfRun,
} from "../../../src/cli/exit-code.ts";
import { ERROR_CODES, type ErrorCode, LicetError } from "../../../src/errors.ts";
import type { RunState } from "../../../src/run/run-state.ts";

const NO_PAGES = {
  seen: 0,
  unchanged: 0,
  excluded: 0,
  quoted: 0,
  approved: 0,
  denied: 0,
  deniedBy: { policy: 0, offer: 0, limit: 0, stored: 0 },
  undecided: 0,
  bought: 0,
  failed: 0,
  inDoubt: 0,
  open: 0,
};
const NOTHING_ELSE = { endedBy: "person", skipped: false, takenOver: [], plan: null, denials: {} } as const;
const USAGE = { recorded: 0, reported: 0, pending: 0, rejected: 0, chargedMicros: {}, overBudget: false };

describe("of a run", () => {
  test.each<[RunState, number]>([
    ["completed", 0],
    ["max_pages", 0],
    ["max_duration", 0],
    ["budget_exhausted", 3],
    ["max_spend", 3],
    ["failed", 1],
    ["interrupted", 130],
    ["cancelled", 130],
    ["running", 130],
  ])("%s is %i", (state, code) => {
    expect(exitCodeOfRun({ state, pages: NO_PAGES, sites: [], list: null, usage: USAGE, ...NOTHING_ELSE })).toBe(code);
  });

  test.each([
    ["a page in doubt", { pages: { ...NO_PAGES, inDoubt: 1 } }],
    ["a failed page", { pages: { ...NO_PAGES, failed: 1 } }],
    ["a use that could not be reported", { usage: { ...USAGE, pending: 1 } }],
    ["a use that was rejected", { usage: { ...USAGE, rejected: 1 } }],
    ["a site that is not enabled", { sites: [site("not_enabled")] }],
    [
      "a page in doubt of a run that was taken over",
      { takenOver: [{ runId: "run_0", released: 0, probed: 1, inDoubt: 1 }] },
    ],
    ["a site that charged too much", { sites: [site("overcharged")] }],
  ])("%s is 4, also with an exhausted budget", (_, part) => {
    const whole = { pages: NO_PAGES, sites: [], list: null, usage: USAGE, ...NOTHING_ELSE, ...part };
    expect(exitCodeOfRun({ state: "completed", ...whole })).toBe(4);
    expect(exitCodeOfRun({ state: "budget_exhausted", ...whole })).toBe(4);
  });

  test.each([
    [{ max_price: 1 }, 4],
    [{ denied_by_rule: 1, budget_exhausted: 2 }, 4],
    [{ budget_exhausted: 2 }, 3],
    [{}, 3],
  ])("of a plan that missed %j, with an exhausted budget, is %i", (missed, code) => {
    const plan = { missed } as unknown as NonNullable<Parameters<typeof exitCodeOfRun>[0]["plan"]>;
    const whole = { pages: NO_PAGES, sites: [], list: null, usage: USAGE, ...NOTHING_ELSE, plan };
    expect(exitCodeOfRun({ state: "budget_exhausted", ...whole })).toBe(code);
  });

  test("a skipped run is 0, whatever the state of the run that is alive", () => {
    const pages = { ...NO_PAGES, failed: 1 };
    const running = {
      state: "running",
      pages,
      sites: [],
      list: null,
      usage: USAGE,
      ...NOTHING_ELSE,
      skipped: true,
    } as const;
    expect(exitCodeOfRun(running)).toBe(0);
  });

  test.each([
    ["itself", 4],
    ["person", 130],
    ["service", 130],
    ["death", 130],
    ["run", 130],
  ] as const)("an interrupted run that %s ended is %i: one that waits was not interrupted", (endedBy, code) => {
    const whole = { pages: NO_PAGES, sites: [site("not_enabled")], list: null, usage: USAGE, ...NOTHING_ELSE };
    expect(exitCodeOfRun({ state: "interrupted", ...whole, endedBy })).toBe(code);
  });

  test("an interruption is shown whatever else happened", () => {
    const pages = { ...NO_PAGES, failed: 1 };
    expect(exitCodeOfRun({ state: "interrupted", pages, sites: [], list: null, usage: USAGE, ...NOTHING_ELSE })).toBe(
      130,
    );
  });
});

describe("of an error", () => {
  const USAGE_CODES: ReadonlySet<string> = new Set([
    "NODE_UNSUPPORTED",
    "CONFIG_NOT_FOUND",
    "CONFIG_INVALID",
    "ENV_MISSING",
    "USAGE_INVALID",
    "MONEY_INVALID",
    "DURATION_INVALID",
    "INPUT_INVALID",
    "PAGE_URL_INVALID",
    "PLAN_REFUSED",
  ]);
  test.each(Object.keys(ERROR_CODES) as ErrorCode[])("%s", (code) => {
    const expected = code === "INTERRUPTED" ? 130 : USAGE_CODES.has(code) ? 2 : 1;
    expect(exitCodeOfError(new LicetError(code, "x"))).toBe(expected);
  });

  test("a bug is 1", () => {
    expect(exitCodeOfError(new TypeError("x"))).toBe(1);
  });
});

test("of a flush: stopped is 1, rejected entries are 4, an interruption is 130", () => {
  const flushed = {
    batches: 1,
    reported: 1,
    rejectedEntries: 0,
    pending: 0,
    needsReconcile: 0,
    stopped: null,
    allRefused: false,
    retried: 0,
    chargedMicros: {},
    overBudget: false,
  };
  expect(exitCodeOfFlush(flushed, false)).toBe(0);
  expect(exitCodeOfFlush({ ...flushed, stopped: "401" }, false)).toBe(1);
  expect(exitCodeOfFlush({ ...flushed, rejectedEntries: 1 }, false)).toBe(4);
  expect(exitCodeOfFlush({ ...flushed, needsReconcile: 1 }, false)).toBe(4);
  expect(exitCodeOfFlush({ ...flushed, stopped: "a setting is wrong", allRefused: true }, false)).toBe(4);
  expect(exitCodeOfFlush({ ...flushed, stopped: "stopped" }, true)).toBe(130);
});

function site(stop: string | null) {
  return {
    ...NO_PAGES,
    host: "news.example",
    rejected: 0,
    empty: 0,
    stop,
    stopDetail: null,
    walkWarning: null,
    walkEnded: true,
    repurchased: 0,
    repurchasedEqual: 0,
    exhausted: {},
  };
}

describe("where no budget is in the currency of the offers", () => {
  const denials = { no_budget_in_currency: 7 };
  const rest = { sites: [], list: null, denials };

  test("a run, a plan and a check end with 3, and with 0 when something else is bought", () => {
    const run = { ...NOTHING_ELSE, ...rest, state: "completed", usage: USAGE } as const;
    expect(exitCodeOfRun({ ...run, pages: NO_PAGES })).toBe(3);
    expect(exitCodeOfRun({ ...run, pages: { ...NO_PAGES, approved: 1, bought: 1 } })).toBe(0);
    expect(exitCodeOfPlan({ ...rest, pages: NO_PAGES })).toBe(3);
    expect(exitCodeOfPlan({ ...rest, pages: { ...NO_PAGES, approved: 1 } })).toBe(0);
    const check = { name: "budgets", level: "warning", ok: true, detail: "", hint: null } as const;
    expect(exitCodeOfCheck({ ok: true, checks: [{ ...check, code: "no_budget_in_currency" }] })).toBe(3);
    expect(exitCodeOfCheck({ ok: true, checks: [{ ...check, code: "DISK_FULL" }] })).toBe(0);
    expect(exitCodeOfCheck({ ok: false, checks: [{ ...check, code: "no_budget_in_currency" }] })).toBe(1);
  });
});

test.each([
  ["walk_failed", 1],
  ["not_enabled", 1],
  ["max_pages", 0],
  [null, 0],
])("a plan of a site that is stopped by %s ends with %i", (stop, code) => {
  const sites = [{ host: "news.example", pages: NO_PAGES, stop, warning: null }];
  expect(exitCodeOfPlan({ sites, list: null, pages: NO_PAGES, denials: {} })).toBe(code);
});
