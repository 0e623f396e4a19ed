import type { OpenedQuoteBatch } from "../../ledger/frontier-ledger.ts";
import type { RateListing } from "../../rates/rate.ts";

/** The result of a rate request for one page: a listing, no answer, or a refusal of this URL alone. */
export type RateAnswer =
  | { readonly kind: "listed"; readonly listing: RateListing }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly detail: string };

/** A leased batch with its rates. */
export interface Quoted {
  readonly leaseId: string;
  readonly opened: OpenedQuoteBatch;
  /** In the order of the batch's pages; null under `intent: indexing`. */
  readonly answers: readonly RateAnswer[] | null;
}

/** @param answers in the order of the batch's pages; null under `intent: indexing` */
export function answerAt(answers: readonly RateAnswer[] | null, index: number): RateAnswer | null {
  return answers === null ? null : (answers[index] ?? { kind: "missing" });
}
