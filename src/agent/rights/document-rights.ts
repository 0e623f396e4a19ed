/** What the rights to a document are now, for those that give documents to other programs. */
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { findExpiryAction, findRightsEnd, haveRightsEnded, toExpiryPolicies } from "../../rights/rights.ts";
import type { Resources } from "../compose.ts";

/** Adds `rights` to a document. Null: its rights ended and its policy says `purge`, so it is not given out although it is still there. */
export type ShowRights = <Document extends StoredDocument>(document: Document) => Document | null;

export function createShowRights({ config, clock }: Pick<Resources, "config" | "clock">): ShowRights {
  const policies = toExpiryPolicies(config.policies.values());
  return (document) => {
    const end = findRightsEnd(document, policies);
    const action = findExpiryAction(document, policies);
    const hasEnded = haveRightsEnded(end, clock.now());
    if (hasEnded && action === "purge") {
      return null;
    }
    return { ...document, rights: end === null ? null : { endsAt: end.at, why: end.why, hasEnded, action } };
  };
}
