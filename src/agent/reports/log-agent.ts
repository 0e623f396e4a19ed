/** `agent.log`: who decided what, the newest first. */
import type { Resources } from "../compose.ts";
import type { ActLog, LogOptions } from "./act-log.ts";

const USUAL_ACTS = 50;

export async function logAgent(
  resources: Pick<Resources, "ledger">,
  { limit = USUAL_ACTS, cursor }: LogOptions,
): Promise<ActLog> {
  const ledger = await resources.ledger("read");
  // One more than is shown says whether there are older ones.
  const read = await ledger.readActs({
    before: cursor === undefined ? null : Number(cursor),
    runId: null,
    limit: limit + 1,
  });
  const acts = read.slice(0, limit);
  return { acts, nextCursor: read.length > limit ? String(acts.at(-1)?.actId) : null };
}
