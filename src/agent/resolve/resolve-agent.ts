/** `agent.resolveRun`: resolves what a run left in doubt by the answer of a person. Each purchase is one transaction. */
import type { ResolvedPurchase } from "../../ledger/purchase-ledger.ts";
import { toActedBy } from "../acts/acted-by.ts";
import type { Resources } from "../compose.ts";
import type { CheckedDoubtWord, ResolvedMany } from "./doubt-word.ts";

/** Purchases in doubt that are read at once. */
const DOUBT_PAGE = 1_000;

export async function resolveRunAgent(
  resources: Resources,
  runId: string,
  { charged, keepOff, ...acting }: CheckedDoubtWord,
): Promise<ResolvedMany> {
  const who = toActedBy(resources, acting);
  const ledger = await resources.ledger("existing");
  // @throws RUN_NOT_FOUND
  await ledger.readRun(runId);
  const resolved: ResolvedPurchase[] = [];
  for (let afterPurchaseId = 0; ; ) {
    const purchaseIds = await ledger.readDoubts({ runId, afterPurchaseId, limit: DOUBT_PAGE });
    for (const purchaseId of purchaseIds) {
      resolved.push(await ledger.resolvePurchase({ purchaseId, charged, keepOff, who, now: resources.clock.now() }));
    }
    const last = purchaseIds.at(-1);
    if (last === undefined) {
      return { resolved, unmatched: [] };
    }
    afterPurchaseId = last;
  }
}
