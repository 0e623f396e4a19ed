/**
 * A purchase is licet's decision to buy one page once, under one licence at one quoted price, with one one-time token
 * (design § Purchases). Its state says what the budget counts. An indexing fetch is a purchase at price 0 without a licence.
 */
export const PURCHASE_STATES = ["reserved", "started", "settled", "released", "in_doubt"] as const;
/** The states of a purchase (design § Purchases). */
export type PurchaseState = (typeof PURCHASE_STATES)[number];

/**
 * The only table of legal transitions. `in_doubt` and `released` may still become `settled`: a worker that was stopped
 * past its lease can come back with the content in hand, and what was paid for is never thrown away (promise 4).
 */
const LEGAL_TRANSITIONS: Readonly<Record<PurchaseState, readonly PurchaseState[]>> = {
  reserved: ["started", "released"],
  started: ["settled", "released", "in_doubt"],
  in_doubt: ["settled", "released"],
  released: ["settled"],
  settled: [],
};

export function isLegalTransition(from: PurchaseState, to: PurchaseState): boolean {
  return LEGAL_TRANSITIONS[from].includes(to);
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
  "run_ended",
  "site_stopped",
  "decided_anew",
  "taken_over",
  "resolved_not_charged",
] as const;
export type ReleaseReason = (typeof RELEASE_REASONS)[number];

/**
 * Decisions that were taken back before anything was sent: the run ended, its site was stopped, it was interrupted, or another run took
 * over what it left. Nothing was bought and nothing failed, and the page may be decided again.
 */
export const TAKEN_BACK_REASONS = [
  "run_ended",
  "site_stopped",
  "decided_anew",
  "taken_over",
] as const satisfies readonly ReleaseReason[];

export function isTakenBack(reason: string): boolean {
  return (TAKEN_BACK_REASONS as readonly string[]).includes(reason);
}

/**
 * Whether the reason ends a purchase only before it is started. A worker that got no token knows nothing of one that came after
 * it, with a token, and may have been charged by now. What is taken back was never sent.
 */
export function endsOnlyReserved(reason: ReleaseReason): boolean {
  return reason === "token_refused" || reason === "token_failed" || isTakenBack(reason);
}
