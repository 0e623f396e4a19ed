/** `agent.log`: who decided what, the newest first. */
import type { Resources } from "../compose.ts";
import type { ActLog, LogOptions } from "./act-log.ts";
import { type NewestQuery, readNewest } from "./newest-first.ts";

const USUAL_ACTS = 50;

export async function logAgent(
  resources: Pick<Resources, "ledger">,
  { limit = USUAL_ACTS, cursor }: LogOptions,
): Promise<ActLog> {
  const ledger = await resources.ledger("read");
  const read = (query: NewestQuery) => ledger.readActs({ ...query, runId: null });
  const { rows, nextCursor } = await readNewest({ limit, cursor }, read, ({ actId }) => actId);
  return { acts: rows, nextCursor };
}
