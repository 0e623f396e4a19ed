/** `agent.history`: the gateway's webhook delivery records, page after page. */
import type { DeliveryRecord } from "../../gateway/gateway.ts";
import type { Resources } from "../compose.ts";

/** The largest page that the gateway specification allows. */
const MAX_HISTORY_PAGE = 1000;
/** Stops after this many pages, because a broken gateway may send pages without end. */
const MAX_HISTORY_PAGES = 10_000;

export async function* historyAgent(
  resources: Resources,
  query: { readonly daysAgo?: number; readonly limit?: number },
): AsyncIterableIterator<DeliveryRecord> {
  const { daysAgo = null, limit = Number.POSITIVE_INFINITY } = query;
  const seenTokens = new Set<string>();
  let nextToken: string | null = null;
  let left = limit;
  const gateway = await resources.gateway();
  for (let page = 0; page < MAX_HISTORY_PAGES && left > 0; page++) {
    const answer = await gateway.listHistory({ nextToken, size: Math.min(MAX_HISTORY_PAGE, left), daysAgo });
    yield* answer.items.slice(0, left);
    left -= answer.items.length;
    if (answer.nextToken === null || seenTokens.has(answer.nextToken)) {
      return;
    }
    nextToken = answer.nextToken;
    seenTokens.add(nextToken);
  }
}
