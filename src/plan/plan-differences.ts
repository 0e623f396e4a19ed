/** What differs between the configuration that a plan was made under and the one that it would be bought under. */
import type { PlanDifference } from "../error-details.ts";
import { isSection, toCanonicalJson } from "./canonical-json.ts";
import type { PlanTerms, PolicyTerms } from "./plan-terms.ts";

/** Longer values are cut in messages. */
const MAX_SHOWN_CHARS = 160;

/** Empty when the plan was made under the same terms. Sites of the configuration that the plan does not have make no difference. */
export function findDifferences(planned: PlanTerms, now: PlanTerms): readonly PlanDifference[] {
  const { policies: plannedPolicies, ...plannedRest } = planned;
  const { policies: policiesNow, ...restNow } = now;
  return [
    ...compareValues("", plannedRest, restNow),
    ...Object.entries(plannedPolicies).flatMap(([name, policy]) => {
      const policyNow = policiesNow[name];
      // A policy that only one of both has is the consequence of a site's difference, which is named above.
      return policyNow === undefined ? [] : comparePolicies(`policies.${name}`, policy, policyNow);
    }),
  ];
}

/** The difference as a sentence without its end: `policies.standard.rules[0] was …, is now …`. */
export function describeDifference({ where, planned, now }: PlanDifference): string {
  if (planned === null) {
    return `${where} is new: ${clip(now)}`;
  }
  return now === null ? `${where} is gone, was ${clip(planned)}` : `${where} was ${clip(planned)}, is now ${clip(now)}`;
}

function clip(text: string | null): string {
  const shown = text ?? "";
  return shown.length > MAX_SHOWN_CHARS ? `${shown.slice(0, MAX_SHOWN_CHARS)}…` : shown;
}

function comparePolicies(where: string, planned: PolicyTerms, now: PolicyTerms): readonly PlanDifference[] {
  const { rules: plannedRules, ...plannedRest } = planned;
  const { rules: rulesNow, ...restNow } = now;
  return [
    ...compareValues(where, plannedRest, restNow),
    ...compareRules(`${where}.rules`, plannedRules.map(toCanonicalJson), rulesNow.map(toCanonicalJson)),
  ];
}

/** A rule that was put in moves those behind it. Only what is between the equal first and the equal last rules is a difference. */
function compareRules(where: string, planned: readonly string[], now: readonly string[]): readonly PlanDifference[] {
  const shorter = Math.min(planned.length, now.length);
  let first = 0;
  while (first < shorter && planned[first] === now[first]) {
    first++;
  }
  let last = 0;
  while (last < shorter - first && planned.at(-1 - last) === now.at(-1 - last)) {
    last++;
  }
  const plannedEnd = planned.length - last;
  const nowEnd = now.length - last;
  const differences: PlanDifference[] = [];
  for (let index = first; index < Math.max(plannedEnd, nowEnd); index++) {
    differences.push({
      where: `${where}[${index}]`,
      planned: index < plannedEnd ? (planned[index] ?? null) : null,
      now: index < nowEnd ? (now[index] ?? null) : null,
    });
  }
  return differences;
}

function compareValues(where: string, planned: unknown, now: unknown): readonly PlanDifference[] {
  if (isSection(planned) && isSection(now)) {
    return unionOf(planned, now).flatMap((name) =>
      compareValues(where === "" ? name : `${where}.${name}`, planned[name], now[name]),
    );
  }
  const before = planned === undefined ? null : toCanonicalJson(planned);
  const after = now === undefined ? null : toCanonicalJson(now);
  return before === after ? [] : [{ where, planned: before, now: after }];
}

function unionOf(a: object, b: object): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}
