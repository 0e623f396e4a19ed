/** Whether a page is bought again because the rights to its stored version ended (`onExpiry: relicense`). */
import {
  type ContentTerms,
  type ExpiryPolicies,
  findExpiryAction,
  findRightsEnd,
  haveRightsEnded,
  isAskedFor,
} from "./rights.ts";

/**
 * A license that was bought as a renewal and lasted shorter than this is not renewed again by itself. Otherwise a gateway whose licenses are
 * shorter than the time between two runs would sell the same text again and again, in every run.
 */
export const SHORTEST_RENEWAL_MS = 86_400_000;

/** The stored version of a page, and the version before it. */
export interface RenewableContent {
  readonly content: ContentTerms;
  /** Null: there was none. */
  readonly previous: ContentTerms | null;
}

/** True when the rights to the stored version ended, and its policy renews them. */
export function isRenewalDue(renewable: RenewableContent, policies: ExpiryPolicies, now: number): boolean {
  const { content } = renewable;
  return (
    findExpiryAction(content, policies) === "relicense" &&
    haveRightsEnded(findRightsEnd(content, policies), now) &&
    (isAskedFor(content, policies) || !isTooShortToRenew(renewable, policies))
  );
}

/** True when the stored version was itself a renewal, and its rights lasted too short for another one. */
export function isTooShortToRenew({ content, previous }: RenewableContent, policies: ExpiryPolicies): boolean {
  const end = findRightsEnd(content, policies);
  const wasRenewal = previous !== null && haveRightsEnded(findRightsEnd(previous, policies), content.boughtAt);
  return wasRenewal && end !== null && end.at - content.boughtAt < SHORTEST_RENEWAL_MS;
}

/** True when at least one policy renews rights that ended. Without one, no stored version has to be looked at. */
export function isAnyRenewed(policies: ExpiryPolicies): boolean {
  return Object.values(policies).some(({ onExpiry }) => onExpiry === "relicense");
}

/** The same terms with nothing renewed by itself: what ended by a clock that may be wrong may not have ended. */
export function withoutRenewals(policies: ExpiryPolicies): ExpiryPolicies {
  const kept: Record<string, ExpiryPolicies[string]> = Object.create(null);
  for (const [name, terms] of Object.entries(policies)) {
    kept[name] = terms.onExpiry === "relicense" ? { ...terms, onExpiry: "keep", isAsked: false } : terms;
  }
  return kept;
}
