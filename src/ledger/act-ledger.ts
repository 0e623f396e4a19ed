import type { ActKind } from "../act/act.ts";

/** Something that a person decided or did, or a service by itself. It is written in the transaction that does it, and never changed. */
export interface Act {
  /** Its number: later acts have greater ones. */
  readonly actId: number;
  readonly kind: ActKind;
  /** Epoch ms. */
  readonly at: number;
  /** Who it was. Null: it was done before licet wrote it down, or by a program that did not say. */
  readonly by: string | null;
  /** Why, in the person's words. Null: no reason was given. */
  readonly reason: string | null;
  /** The purchase that it is about. Of a purge: the first one. Null: it is not about a purchase. */
  readonly purchaseId: number | null;
  /** The page of the purchase. */
  readonly url: string | null;
  /** The usage report that it is about. */
  readonly batchId: number | null;
  /** The open item that it is about. */
  readonly itemId: number | null;
  /** The run that it is about. */
  readonly runId: string | null;
  /** The site that was paused. */
  readonly host: string | null;
  /** The alert that somebody looks after, by its name. The alert itself may have been pruned. */
  readonly alert: string | null;
  /** The digest of the plan's lines. */
  readonly plan: string | null;
  /** How many versions of pages a purge removed. Else 1. */
  readonly count: number;
}

export interface ActLedger {
  /**
   * The newest acts, the newest first. @param query.before only older ones than this number. Null: from the newest one
   * @param query.runId only those about this run. Null: all
   */
  readActs(query: {
    readonly before: number | null;
    readonly runId: string | null;
    readonly limit: number;
  }): Promise<readonly Act[]>;
  /** What a request did, by its key (ActedBy). Null: nothing. */
  findAct(requestKey: string): Promise<Act | null>;
}
