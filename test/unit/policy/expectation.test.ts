import { describe, expect, it } from "vitest";
import {
  type Expectation,
  formatExpectation,
  formatVerdict,
  meetsExpectation,
  parseExpectation,
} from "../../../src/policy/expectation.ts";
import type { Verdict } from "../../../src/policy/verdict.ts";
import { eur, rate, usd } from "../../doubles/policy-cases.ts";

describe("parseExpectation", () => {
  it.each<[string, Expectation]>([
    ["allow", { kind: "allowed", ruleIndex: null, price: null }],
    ["allow 2", { kind: "allowed", ruleIndex: 1, price: null }],
    ["allow 2 at 0.02 USD", { kind: "allowed", ruleIndex: 1, price: usd(20_000) }],
    ["allow at 0.02 USD", { kind: "allowed", ruleIndex: null, price: usd(20_000) }],
    ["deny", { kind: "denied", reason: null, ruleIndex: null }],
    ["deny no_rule_matched", { kind: "denied", reason: "no_rule_matched", ruleIndex: null }],
    ["deny denied_by_rule 1", { kind: "denied", reason: "denied_by_rule", ruleIndex: 0 }],
  ])("reads %j, and formatExpectation writes it", (text, expected) => {
    expect(parseExpectation(text)).toEqual(expected);
    expect(formatExpectation(expected)).toBe(text);
  });

  it("reads any white space between the words", () => {
    expect(parseExpectation("  deny   denied_by_rule\t3 ")).toMatchObject({ ruleIndex: 2 });
  });

  it.each([
    ["", "effect", ""],
    ["Allow 2", "effect", "Allow"],
    ["2", "effect", "2"],
    ["allow 0", "rule", "0"],
    ["allow two", "rule", "two"],
    ["allow 1 2", "rule", "1 2"],
    ["allow 1.5", "rule", "1.5"],
    ["allow 2 at", "price", ""],
    ["allow 2 at 0.02", "price", "0.02"],
    ["deny no_rule_match", "reason", "no_rule_match"],
    ["deny 1", "reason", "1"],
    ["deny budget_exhausted", "foreign_reason", "budget_exhausted"],
    ["deny denied_by_rule -1", "rule", "-1"],
  ])("names the part of %j that it cannot read", (text, part, word) => {
    expect(parseExpectation(text)).toEqual({ kind: "fault", part, word });
  });
});

describe("meetsExpectation", () => {
  const allowed: Verdict = { kind: "allowed", ruleIndex: 1, rate: rate(usd(20_000)) };
  const denied: Verdict = { kind: "denied", reason: "denied_by_rule", ruleIndex: 0 };
  const meets = (verdict: Verdict, text: string) => {
    const expected = parseExpectation(text);
    return expected.kind !== "fault" && meetsExpectation(verdict, expected);
  };

  it.each(["allow", "allow 2", "allow 2 at 0.02 USD", "allow at 0.02 USD"])("an allowed page meets %j", (text) => {
    expect(meets(allowed, text)).toBe(true);
  });

  it.each(["deny", "allow 1", "allow 3", "allow 2 at 0.01 USD", "allow 2 at 0.02 EUR", "deny denied_by_rule 2"])(
    "an allowed page does not meet %j",
    (text) => {
      expect(meets(allowed, text)).toBe(false);
    },
  );

  it.each(["deny", "deny denied_by_rule", "deny denied_by_rule 1"])("a denied page meets %j", (text) => {
    expect(meets(denied, text)).toBe(true);
  });

  it.each(["allow", "allow 1", "deny no_rule_matched", "deny denied_by_rule 2"])(
    "a denied page does not meet %j",
    (text) => {
      expect(meets(denied, text)).toBe(false);
    },
  );

  it("a page that is indexed has no price to meet", () => {
    const indexed: Verdict = { kind: "allowed", ruleIndex: 0, rate: null };
    expect(meets(indexed, "allow 1")).toBe(true);
    expect(meets(indexed, "allow 1 at 0 USD")).toBe(false);
  });

  it("formatVerdict writes what would be met", () => {
    expect(formatVerdict(allowed)).toBe("allow 2 at 0.02 USD");
    expect(formatVerdict({ kind: "allowed", ruleIndex: 0, rate: null })).toBe("allow 1");
    expect(formatVerdict({ kind: "denied", reason: "no_rule_matched", ruleIndex: null })).toBe("deny no_rule_matched");
    expect(formatVerdict(denied)).toBe("deny denied_by_rule 1");
    expect(formatVerdict({ ...allowed, rate: rate(eur(1)) })).toBe("allow 2 at 0.000001 EUR");
  });
});
