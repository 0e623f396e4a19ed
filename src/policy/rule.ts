import type { Currency, Money } from "../money/money.ts";
import type { KnownLicenseType } from "../rates/license.ts";

/**
 * The conditions of a rule on a page and one of its rates. Every condition that is set must hold. Null means not set. Under
 * `intent: indexing` there is no rate, so only `urls` and `modifiedWithinMs` may be set.
 */
export interface Conditions {
  readonly license: KnownLicenseType | null;
  /** The rate's license id is one of these. */
  readonly cuid: readonly string[] | null;
  /** The license has all of these permissions. */
  readonly permissions: readonly string[] | null;
  /** The license has none of these permissions. */
  readonly lacks: readonly string[] | null;
  /** Inclusive; a rate in another currency does not match. */
  readonly maxPrice: Money | null;
  /** Inclusive; a rate in another currency does not match. */
  readonly minPrice: Money | null;
  readonly currency: Currency | null;
  /** Globs on the URL's path; one of them matches. */
  readonly urls: readonly string[] | null;
  /** The page's last modification is known and at most this long ago. */
  readonly modifiedWithinMs: number | null;
}

/** One line of a policy: allow or deny an offer when all conditions hold. */
export interface Rule {
  readonly effect: "allow" | "deny";
  readonly conditions: Conditions;
  /** What a page that the rule allows is worth, for `run.order: value`. Null: nothing was said. Not negative. */
  readonly value: number | null;
}

export const INTENTS = ["content", "indexing"] as const;
/** What a site is crawled for: paid content, or indexing. */
export type Intent = (typeof INTENTS)[number];
export const CONTENT_FORMATS = ["markdown", "html", "both"] as const;
/** What is bought: `both` buys HTML once and derives Markdown here. */
export type ContentFormat = (typeof CONTENT_FORMATS)[number];
export const PREFERENCES = ["cheapest", "most-permissive"] as const;
/** Which of the accepted rates is bought. */
export type Preference = (typeof PREFERENCES)[number];
export const IN_DOUBT_POLICIES = ["hold", "rebuy"] as const;
/** Whether a page in doubt is bought again. `hold` waits until the doubt is resolved. */
export type InDoubtPolicy = (typeof IN_DOUBT_POLICIES)[number];

export const EXPIRY_ACTIONS = ["relicense", "purge", "keep"] as const;
/** What happens to stored content whose rights end. */
export type ExpiryAction = (typeof EXPIRY_ACTIONS)[number];
export const RUN_ORDERS = ["catalog", "newest", "cheapest", "value"] as const;
/** In which order a run buys. Other than `catalog`, all pages are quoted first. */
export type RunOrder = (typeof RUN_ORDERS)[number];

/** An ordered rule list. The first match decides, and a page without a match is denied. */
export interface Policy {
  readonly name: string;
  readonly intent: Intent;
  readonly format: ContentFormat;
  readonly prefer: Preference;
  readonly inDoubt: InDoubtPolicy;
  /** How long content may be kept after it was stored. Null: without an end. */
  readonly retentionMs: number | null;
  readonly onExpiry: ExpiryAction;
  readonly rules: readonly Rule[];
}

/**
 * `gateway.fee`: added to each reservation and counted separately from the rate. `fixed` is null when there is
 * none.
 */
export interface Fee {
  /** Parts per million of the rate: 2.5 % is 25,000. An integer is exact, a float is not. */
  readonly ratePpm: number;
  readonly fixed: Money | null;
}
