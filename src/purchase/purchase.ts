import type { Rate } from "../rates/rate.ts";

/**
 * A purchase is licet's decision to buy one page once, under one license at one quoted price, with one one-time token.
 * Its state says what the budget counts. An indexing fetch is a purchase at price 0 without a license.
 */
export const PURCHASE_STATES = ["reserved", "started", "settled", "released", "in_doubt"] as const;
/** The states of a purchase. */
export type PurchaseState = (typeof PURCHASE_STATES)[number];

/** The terms that a purchase is bought at. The price is the cap of its token. A rate is a quote with further fields. */
export type Quote = Pick<Rate, "license" | "price">;

/**
 * The token for one request of one page. It is a secret: never printed, and stored only while its purchase is `started`. It is opaque.
 * `expiresAt` (epoch ms) is read from it as a hint, or assumed from its usual lifetime.
 */
export interface OneTimeToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** The only state in which a purchase has a token. */
export const TOKEN_STATE: PurchaseState = "started";

/**
 * The only table of legal transitions: the states that each may start from, and the state it ends in. The ledger builds its SQL from it
 * (ledger/sqlite/purchases/purchase-rows.ts).
 */
export const TRANSITIONS = {
  /** Committed with the token, before the chargeable request is sent. */
  start: { from: ["reserved"], to: "started" },
  /** The content has arrived. */
  settle: { from: ["started"], to: "settled" },
  /**
   * Late content: a worker that was delayed past its lease may return with the content. Content that was paid for is always stored
   * (promise 4).
   */
  settleLate: { from: ["in_doubt", "released"], to: "settled" },
  /** The gateway refused. */
  refuse: { from: ["reserved", "started"], to: "released" },
  /** There was no token, or the decision was withdrawn. Nothing was sent. */
  withdraw: { from: ["reserved"], to: "released" },
  /** The token was certainly not used, and cannot be used any more. */
  discard: { from: ["started"], to: "released" },
  /** Sent without a usable answer. */
  holdInDoubt: { from: ["started"], to: "in_doubt" },
  /** Decided by a person. */
  resolveCharged: { from: ["in_doubt"], to: "settled" },
  resolveNotCharged: { from: ["in_doubt"], to: "released" },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof TRANSITIONS;

interface Transition {
  readonly from: readonly PurchaseState[];
  readonly to: PurchaseState;
}

/** Why a purchase is in doubt. */
export const DOUBT_REASONS = ["token_spent", "token_expired", "unanswered"] as const;
/** Why a purchase is in doubt. */
export type DoubtReason = (typeof DOUBT_REASONS)[number];

/** Why a purchase was released. */
export const RELEASE_REASONS = [
  "token_refused",
  "token_failed",
  "content_refused",
  "rate_limited",
  "never_sent",
  "token_unused",
  "run_ended",
  "site_stopped",
  "decided_anew",
  "taken_over",
  "resolved_not_charged",
] as const;
export type ReleaseReason = (typeof RELEASE_REASONS)[number];

/**
 * Reasons for a release after which nothing was bought and nothing failed: the page waits for its next purchase. The run ended, its
 * site was stopped, it was interrupted, or another run took it over, each before anything was sent. Or the token expired before the
 * gateway served its request (`token_unused`), and the next purchase was reserved with the release.
 */
export const TAKEN_BACK_REASONS = [
  "token_unused",
  "run_ended",
  "site_stopped",
  "decided_anew",
  "taken_over",
] as const satisfies readonly ReleaseReason[];

export function isTakenBack(reason: string): boolean {
  return (TAKEN_BACK_REASONS as readonly string[]).includes(reason);
}

/**
 * The transition that releases a purchase for a reason. A worker that got no token does not know whether another worker got one later
 * and was charged, so it may only withdraw. A decision that is taken back was never sent. Only the worker that started a purchase
 * knows that its token was not used.
 */
export function releaseBy(reason: ReleaseReason): "withdraw" | "refuse" | "discard" {
  if (reason === "token_unused") {
    return "discard";
  }
  return reason === "token_refused" || reason === "token_failed" || isTakenBack(reason) ? "withdraw" : "refuse";
}
