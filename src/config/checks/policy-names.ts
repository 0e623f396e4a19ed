/** Messages about a site's policy that does not exist: all of them name the policies that do. */
import { isSlip } from "../../suggest-key.ts";
import { toSection } from "./loose-value.ts";

const MAX_LISTED = 12;

/** The end of the message about a site without a policy. */
export function describeMissingPolicy(config: unknown): string {
  return `is missing: it must be the name of a policy (${listPolicies(policyNamesOf(config))})`;
}

/** The end of the message about a name without a policy. It does not repeat the name, which may come from the environment. */
export function describeUnknownPolicy(name: string, config: unknown): string {
  const names = policyNamesOf(config);
  const bare = name.trim().replaceAll(/^["'`]+|["'`]+$/g, "");
  const listed = listPolicies(names);
  if (bare !== name && names.includes(bare)) {
    return `has quotes or spaces inside the name: write ${bare} (${listed})`;
  }
  const meant = names.find((known) => isSlip(known, bare));
  return `names an unknown policy; ${meant === undefined ? "" : `did you mean "${meant}"? `}(${listed})`.replace(
    "; (",
    " (",
  );
}

export function isPolicyName(name: string, config: unknown): boolean {
  return policyNamesOf(config).includes(name);
}

function policyNamesOf(config: unknown): readonly string[] {
  return Object.keys(toSection(toSection(config).policies));
}

function listPolicies(names: readonly string[]): string {
  if (names.length === 0) {
    return "there is none: write it under policies";
  }
  return `known: ${names.slice(0, MAX_LISTED).join(", ")}${names.length > MAX_LISTED ? ", …" : ""}`;
}
