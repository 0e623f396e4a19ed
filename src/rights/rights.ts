/**
 * When the rights to stored content end, and what happens then. They end at the earlier of two instants:
 *
 * - `validUntil` of the license that was bought. It is a fact of the purchase and does not change.
 * - the settlement plus `retention` of the policy that bought it, as that policy is configured now: an operator who changes it means the
 *   content that is there. When the configuration has no such policy or no such site, the retention at the decision counts.
 *
 * At its end an instant is over: content whose rights end now may no longer be used.
 */
import type { ExpiryAction } from "../policy/rule.ts";

/** Stored content, with what says when its rights end. */
export interface ContentTerms {
  /** The site that sold it. */
  readonly host: string;
  /** The policy that bought it. */
  readonly policyName: string;
  readonly boughtAt: number;
  /** `license.validUntil`, epoch ms. Null: the gateway named no end. */
  readonly validUntilAt: number | null;
  /** The policy's retention at the decision. Null: none. */
  readonly retentionMs: number | null;
}

/** What a policy of the configuration says about stored content. */
export interface ExpiryTerms {
  readonly retentionMs: number | null;
  readonly onExpiry: ExpiryAction;
  /**
   * The sites of the configuration. Of another site, a policy of the same name belongs to another configuration on the same ledger, and says
   * nothing here. @default every site
   */
  readonly hosts?: Readonly<Record<string, true>>;
  /** Somebody asks for these pages: they are bought again however short the rights to them lasted. @default false */
  readonly isAsked?: boolean;
}

/** The expiry terms of every configured policy, by its name. */
export type ExpiryPolicies = Readonly<Record<string, ExpiryTerms>>;

/** What ends the rights: the license, or the retention of the policy. */
export type RightsEndReason = "validUntil" | "retention";

export interface RightsEnd {
  /** Epoch ms. */
  readonly at: number;
  readonly why: RightsEndReason;
}

/** The end of the rights to a document. */
export interface DocumentRights {
  /** Epoch ms. */
  readonly endsAt: number;
  readonly why: RightsEndReason;
  readonly hasEnded: boolean;
  readonly action: ExpiryAction;
}

/** The end of the rights to stored content, or null when they have none. */
export function findRightsEnd(content: ContentTerms, policies: ExpiryPolicies): RightsEnd | null {
  const policy = policyOf(content, policies);
  const retentionMs = policy === null ? content.retentionMs : policy.retentionMs;
  const retainedUntil = retentionMs === null ? null : content.boughtAt + retentionMs;
  const { validUntilAt } = content;
  if (retainedUntil !== null && (validUntilAt === null || retainedUntil < validUntilAt)) {
    return { at: retainedUntil, why: "retention" };
  }
  return validUntilAt === null ? null : { at: validUntilAt, why: "validUntil" };
}

/** What happens when the rights end. Without the policy that bought the content nobody has said it: the content is kept and shown. */
export function findExpiryAction(
  content: Pick<ContentTerms, "policyName" | "host">,
  policies: ExpiryPolicies,
): ExpiryAction {
  return policyOf(content, policies)?.onExpiry ?? "keep";
}

/** True when content with this end may no longer be used at `now`. */
export function haveRightsEnded(end: RightsEnd | null, now: number): boolean {
  return end !== null && end.at <= now;
}

/**
 * When the rights to a page had ended at an instant, of the versions that were stored then: the latest end. Null: no version was stored, or
 * one of them could be used.
 */
export function findLapse(versions: readonly ContentTerms[], policies: ExpiryPolicies, at: number): RightsEnd | null {
  let latest: RightsEnd | null = null;
  for (const version of versions) {
    const end = findRightsEnd(version, policies);
    if (end === null || !haveRightsEnded(end, at)) {
      return null;
    }
    latest = latest === null || end.at > latest.at ? end : latest;
  }
  return latest;
}

/** The expiry terms of configured policies, for what was bought from the configured sites. */
export function toExpiryPolicies(
  policies: Iterable<ExpiryTerms & { readonly name: string }>,
  sites: Iterable<{ readonly host: string }>,
): ExpiryPolicies {
  const hosts: Record<string, true> = Object.create(null);
  for (const { host } of sites) {
    hosts[host] = true;
  }
  const terms: Record<string, ExpiryTerms> = Object.create(null);
  for (const { name, retentionMs, onExpiry, isAsked = false } of policies) {
    terms[name] = { retentionMs, onExpiry, isAsked, hosts };
  }
  return terms;
}

/** True when somebody asks for the content, so that it is bought again however short its rights lasted. */
export function isAskedFor(content: Pick<ContentTerms, "policyName" | "host">, policies: ExpiryPolicies): boolean {
  return policyOf(content, policies)?.isAsked === true;
}

function policyOf(
  { policyName, host }: Pick<ContentTerms, "policyName" | "host">,
  policies: ExpiryPolicies,
): ExpiryTerms | null {
  const policy = Object.hasOwn(policies, policyName) ? (policies[policyName] as ExpiryTerms) : null;
  return policy?.hosts === undefined || Object.hasOwn(policy.hosts, host) ? policy : null;
}
