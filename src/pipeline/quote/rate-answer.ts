import type { RateListing } from "../../rates/rate.ts";

/** The result of a rate request for one page: a listing, no answer, or a refusal of this URL alone. */
export type RateAnswer =
  | { readonly kind: "listed"; readonly listing: RateListing }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly detail: string };

/** @param answers in the order of the batch's pages; null under `intent: indexing` */
export function answerAt(answers: readonly RateAnswer[] | null, index: number): RateAnswer | null {
  return answers === null ? null : (answers[index] ?? { kind: "missing" });
}
