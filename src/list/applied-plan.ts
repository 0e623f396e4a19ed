/** The saved plan that a run buys from, and what the making of a plan knew of the ledger. */

/**
 * The newest purchase of the ledger when a plan was begun: of what the ledger bought behind it, the plan does not know. The run tells that purchase
 * from another one with the same number in another ledger.
 */
export interface PlanBasis {
  readonly purchase: number;
  readonly run: string;
}

/** A saved plan, as the run that buys from it names it. */
export interface AppliedPlan {
  /** When it was made, epoch ms by the clock of that machine. Nothing is decided from it. */
  readonly createdAt: number;
  /** SHA-256 of its first line, in lower-case hex. No page is bought twice under the same one. */
  readonly digest: string;
  /** The run buys no page that this ledger has bought behind it. Null: nothing had been bought yet. */
  readonly basis: PlanBasis | null;
}
