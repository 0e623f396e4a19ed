/** What the rights to a document are now, for those that give documents to other programs. */
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import type { DocumentRights } from "../../rights/rights.ts";
import {
  type ContentTerms,
  type ExpiryPolicies,
  findExpiryAction,
  findRightsEnd,
  haveRightsEnded,
  toExpiryPolicies,
} from "../../rights/rights.ts";
import type { Resources } from "../compose.ts";

/**
 * Adds `rights` to a document. Null: its rights ended and its policy says `purge`, so it is not given out although it is still there.
 * @param at the instant that counts. @default now
 */
export type ShowRights = <Document extends StoredDocument>(document: Document, at?: number) => Document | null;

export function createShowRights(resources: Pick<Resources, "config" | "clock">): ShowRights {
  const withRights = createWithRights(resources);
  return (document, at) => {
    const shown = withRights(document, at);
    return shown.rights?.hasEnded === true && shown.rights.action === "purge" ? null : shown;
  };
}

/** Adds `rights` to a document, also to one whose rights ended. */
export function createWithRights({
  config,
  clock,
}: Pick<Resources, "config" | "clock">): <Document extends StoredDocument>(
  document: Document,
  at?: number,
) => Document {
  const policies = toExpiryPolicies(config.policies.values(), config.sites);
  return (document, at = clock.now()) => ({ ...document, rights: toRights(document, policies, at) });
}

/** The rights to a stored version now. Null: they have no end. */
export function findRights(
  { config, clock }: Pick<Resources, "config" | "clock">,
  stored: ContentTerms,
): DocumentRights | null {
  return toRights(stored, toExpiryPolicies(config.policies.values(), config.sites), clock.now());
}

function toRights(stored: ContentTerms, policies: ExpiryPolicies, now: number): DocumentRights | null {
  const end = findRightsEnd(stored, policies);
  return end === null
    ? null
    : { endsAt: end.at, why: end.why, hasEnded: haveRightsEnded(end, now), action: findExpiryAction(stored, policies) };
}
