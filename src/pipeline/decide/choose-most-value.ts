/** Which candidates a run or a plan takes before all others, under the order `value` (budget/most-value.ts). */
import type { BuyingLimits } from "../../budget/limits.ts";
import { chooseMostValue } from "../../budget/most-value.ts";
import type { BestFirst } from "../../policy/rank-page.ts";
import type { StageDeps } from "../stage-deps.ts";

/** With more candidates than these, they are bought by value per price alone: then one page changes little. */
const MAX_WEIGHED = 100_000;

/** @param limits what is left, anew for each call. @returns the pages, the best value per price first */
export async function chooseCandidates(
  deps: Pick<StageDeps, "ledger">,
  { runId, order }: { readonly runId: string; readonly order: BestFirst },
  limits: () => BuyingLimits,
): Promise<readonly number[]> {
  if (order !== "value") {
    return [];
  }
  const worths = await deps.ledger.readWorths({ runId, limit: MAX_WEIGHED });
  if (worths === null || worths.length === 0) {
    return [];
  }
  const pages = worths.map(({ host, costMicros: micros, currency, value }) => ({
    host,
    cost: { micros, currency },
    value,
  }));
  return chooseMostValue(pages, limits).map((position) => worths[position]?.pageId as number);
}
