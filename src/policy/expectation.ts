/**
 * What a test of a policy expects of a page, as a text: `allow 2`, `allow 2 at 0.02 USD`, `deny no_rule_matched`, `deny denied_by_rule 1`. Rules
 * count from 1, as in everything that people read. What the text leaves out is not compared: `deny` expects any denial.
 */
import { assertLicetError } from "../errors.ts";
import { formatMoney } from "../money/format-money.ts";
import type { Money } from "../money/money.ts";
import { parseMoney } from "../money/parse-money.ts";
import { DENIAL_REASONS, type DenialReason, type Verdict } from "./verdict.ts";

/** The reasons that a policy gives by itself, for rates that are known. */
export const RULED_DENIALS = [
  "no_rule_matched",
  "denied_by_rule",
  "not_licensable",
  "no_usable_rate",
  "no_budget_in_currency",
] as const satisfies readonly DenialReason[];
/** A reason that a policy gives by itself. */
export type RuledDenial = (typeof RULED_DENIALS)[number];

/** What a test of a policy expects. A null is not compared. */
export type Expectation =
  | {
      readonly kind: "allowed";
      /** Position in the policy's rule list, from 0. Null: any rule. */
      readonly ruleIndex: number | null;
      /** Null: any price. */
      readonly price: Money | null;
    }
  | {
      readonly kind: "denied";
      /** Null: any reason. */
      readonly reason: RuledDenial | null;
      readonly ruleIndex: number | null;
    };

/** The part of a text that cannot be read. `foreign_reason` is a denial that no policy gives. */
export interface ExpectationFault {
  readonly kind: "fault";
  readonly part: "effect" | "rule" | "price" | "reason" | "foreign_reason";
  readonly word: string;
}

const RULE_NUMBER = /^[1-9]\d{0,5}$/;

export function parseExpectation(text: string): Expectation | ExpectationFault {
  const [effect = "", ...words] = text.trim().split(/\s+/);
  switch (effect) {
    case "allow":
      return parseAllow(words);
    case "deny":
      return parseDeny(words);
    default:
      return fault("effect", effect);
  }
}

function parseAllow(words: readonly string[]): Expectation | ExpectationFault {
  const at = words.indexOf("at");
  const beforePrice = at < 0 ? words : words.slice(0, at);
  const price = at < 0 ? null : readPrice(words.slice(at + 1).join(" "));
  if (typeof price === "string") {
    return fault("price", price);
  }
  const rule = readRule(beforePrice);
  return typeof rule === "string" ? fault("rule", rule) : { kind: "allowed", ruleIndex: rule, price };
}

function parseDeny([word, ...rest]: readonly string[]): Expectation | ExpectationFault {
  if (word === undefined) {
    return { kind: "denied", reason: null, ruleIndex: null };
  }
  const reason = RULED_DENIALS.find((known) => known === word);
  if (reason === undefined) {
    return fault(DENIAL_REASONS.some((known) => known === word) ? "foreign_reason" : "reason", word);
  }
  const rule = readRule(rest);
  return typeof rule === "string" ? fault("rule", rule) : { kind: "denied", reason, ruleIndex: rule };
}

/** The rule's position; null when no rule is named; the words when they are not the number of a rule. */
function readRule(words: readonly string[]): number | null | string {
  const [number] = words;
  if (number === undefined) {
    return null;
  }
  return words.length === 1 && RULE_NUMBER.test(number) ? Number(number) - 1 : words.join(" ");
}

function readPrice(text: string): Money | string {
  try {
    return parseMoney(text);
  } catch (error) {
    assertLicetError(error, "MONEY_INVALID");
    return text;
  }
}

function fault(part: ExpectationFault["part"], word: string): ExpectationFault {
  return { kind: "fault", part, word };
}

/** True when the verdict is as expected in everything that the expectation names. */
export function meetsExpectation(verdict: Verdict, expected: Expectation): boolean {
  if (expected.ruleIndex !== null && expected.ruleIndex !== verdict.ruleIndex) {
    return false;
  }
  if (verdict.kind === "allowed") {
    return expected.kind === "allowed" && (expected.price === null || isPrice(verdict.rate?.price, expected.price));
  }
  return expected.kind === "denied" && (expected.reason === null || expected.reason === verdict.reason);
}

function isPrice(price: Money | undefined, expected: Money): boolean {
  return price !== undefined && price.micros === expected.micros && price.currency === expected.currency;
}

/** The text that `parseExpectation` reads. */
export function formatExpectation(expected: Expectation): string {
  const rule = expected.ruleIndex === null ? null : `${expected.ruleIndex + 1}`;
  const words =
    expected.kind === "allowed"
      ? ["allow", rule, expected.price === null ? null : `at ${formatMoney(expected.price)}`]
      : ["deny", expected.reason, rule];
  return words.filter((word) => word !== null).join(" ");
}

/** A verdict as a test would expect it. */
export function formatVerdict(verdict: Verdict): string {
  if (verdict.kind === "allowed") {
    return formatExpectation({ ...verdict, price: verdict.rate?.price ?? null });
  }
  const rule = verdict.ruleIndex === null ? "" : ` ${verdict.ruleIndex + 1}`;
  return `deny ${verdict.reason}${rule}`;
}
