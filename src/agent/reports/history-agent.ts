/** `agent.history`: the gateway's webhook delivery records, page after page. */
import type { DeliveryRecord } from "../../gateway/gateway.ts";
import type { Resources } from "../compose.ts";

/** The largest page that the gateway specification allows. */
const MAX_HISTORY_PAGE = 1000;
/** Stops after this many pages, because a broken gateway may send pages without end. */
const MAX_HISTORY_PAGES = 10_000;

/**
 * @param onCut called when the records end before their end: the gateway sends a page token again, or pages without end. Some records
 * are missing then
 */
export async function* historyAgent(
  resources: Resources,
  query: { readonly daysAgo?: number | undefined; readonly limit?: number | undefined },
  onCut: (reason: string) => void,
): AsyncIterableIterator<DeliveryRecord> {
  const { daysAgo = null, limit = Number.POSITIVE_INFINITY } = query;
  const seenTokens = new Set<string>();
  let nextToken: string | null = null;
  let left = limit;
  const gateway = await resources.gateway();
  for (let page = 0; page < MAX_HISTORY_PAGES; page++) {
    const answer = await gateway.listHistory({ nextToken, size: Math.min(MAX_HISTORY_PAGE, left), daysAgo });
    yield* answer.items.slice(0, left);
    left -= answer.items.length;
    // An empty page that names itself is how some gateways write the end.
    const isEnd = answer.nextToken === null || (answer.nextToken === nextToken && answer.items.length === 0);
    if (isEnd || left <= 0) {
      return;
    }
    if (seenTokens.has(answer.nextToken)) {
      onCut("the gateway repeats a page of its delivery records: some records are missing");
      return;
    }
    nextToken = answer.nextToken;
    seenTokens.add(nextToken);
  }
  onCut(`the gateway has more than ${MAX_HISTORY_PAGES} pages of delivery records: some records are missing`);
}
