/** Finds tests of a policy that can never pass, or that cannot be read. */
import {
  type Expectation,
  type ExpectationFault,
  parseExpectation,
  RULED_DENIALS,
  type RuledDenial,
} from "../../policy/expectation.ts";
import { LICENSE_TYPES } from "../../rates/license.ts";
import { isSlip, suggestKey } from "../../suggest-key.ts";
import { type ConfigPath, type ConfigProblem, invalid } from "../config-problem.ts";
import { type Loose, toSections, toText } from "./loose-value.ts";
import { findPermissionSlips } from "./permission-slips.ts";

/** The reasons under `intent: indexing`, where there is no rate. */
const INDEXING_DENIALS: readonly RuledDenial[] = ["no_rule_matched", "denied_by_rule"];
/** The reasons that name a rule, and the effect of the rule. */
const EFFECTS: Readonly<Partial<Record<RuledDenial, "allow" | "deny">>> = {
  denied_by_rule: "deny",
  no_budget_in_currency: "allow",
};

/** @param path of the policy */
export function checkPolicyTests(path: ConfigPath, policy: Loose): ConfigProblem[] {
  return toSections(policy.tests).flatMap((test, index) => {
    const at = [...path, "tests", index];
    return [
      ...checkModified(at, test),
      ...checkRates(at, test, policy),
      ...checkExpected([...at, "expect"], test, policy),
    ];
  });
}

function checkModified(path: ConfigPath, { lastMod, modified }: Loose): ConfigProblem[] {
  return lastMod === undefined || modified === undefined
    ? []
    : [invalid(path, "has lastMod and modified: both say when the page was modified")];
}

function checkRates(path: ConfigPath, { rates }: Loose, { intent }: Loose): ConfigProblem[] {
  const at = [...path, "rates"];
  if (intent === "indexing") {
    return rates === undefined ? [] : [invalid(at, "must be left out under intent: indexing, where there is no rate")];
  }
  if (rates === undefined) {
    return [invalid(at, "is missing: it must be the rates of the page, or [] when the gateway lists none")];
  }
  return toSections(rates).flatMap((rate, index) => [
    ...checkLicense([...at, index, "license"], toText(rate.license)),
    ...findPermissionSlips([...at, index, "permissions"], rate.permissions),
  ]);
}

/** Another type is allowed, because a gateway can list some. A probable typing error is not. */
function checkLicense(path: ConfigPath, license: string | null): ConfigProblem[] {
  const meant = license === null ? undefined : LICENSE_TYPES.find((known) => isSlip(known, license));
  return meant === undefined ? [] : [invalid(path, `names an unknown licence; did you mean "${meant}"?`)];
}

function checkExpected(path: ConfigPath, { expect }: Loose, policy: Loose): ConfigProblem[] {
  const text = toText(expect);
  if (text === null) {
    return [];
  }
  const expected = parseExpectation(text);
  const problem = expected.kind === "fault" ? describeFault(expected) : findContradiction(expected, policy);
  return problem === null ? [] : [invalid(path, problem)];
}

/** The words themselves are not repeated: they may come from the environment. */
function describeFault({ part, word }: ExpectationFault): string {
  switch (part) {
    case "effect":
      return `must begin with allow or deny; ${suggestKey(word, ["allow", "deny"])}`;
    case "reason":
      return `names an unknown reason; ${suggestKey(word, RULED_DENIALS)}`;
    case "foreign_reason":
      return `expects a reason that no policy gives, but the gateway, a budget or the ledger; known here: ${RULED_DENIALS.join(", ")}`;
    case "rule":
      return "must name its rule by a number, counted from 1, like `allow 2`";
    case "price":
      return "must have an amount of money behind `at`, like `allow 2 at 0.02 USD`";
    default:
      return part satisfies never;
  }
}

function findContradiction(expected: Expectation, policy: Loose): string | null {
  const reason = expected.kind === "denied" ? expected.reason : null;
  if (policy.intent === "indexing") {
    const isPriced =
      expected.kind === "allowed" ? expected.price !== null : reason !== null && !INDEXING_DENIALS.includes(reason);
    if (isPriced) {
      return "expects what cannot happen under intent: indexing, where there is no rate";
    }
  }
  if (expected.ruleIndex === null) {
    return null;
  }
  const effect = expected.kind === "allowed" ? "allow" : reason === null ? undefined : EFFECTS[reason];
  if (effect === undefined) {
    return `names a rule, but no rule gives ${reason}`;
  }
  const rules = toSections(policy.rules);
  const rule = rules[expected.ruleIndex];
  if (rule === undefined) {
    return `names rule ${expected.ruleIndex + 1}, which does not exist: the policy has ${rules.length}, counted from 1`;
  }
  return rule[effect] === undefined
    ? `names rule ${expected.ruleIndex + 1}, which is ${effect === "allow" ? "a deny" : "an allow"} rule`
    : null;
}
