/** `agent.log`: who decided what, the newest first. */
import type { Act } from "../../ledger/act-ledger.ts";
import type { Resources } from "../compose.ts";
import { type NewestQuery, readNewest } from "./newest-first.ts";

const USUAL_ACTS = 50;

/** Which part of the log. */
export interface LogOptions {
  /** At most so many. @default 50 */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. @default from the newest act */
  readonly cursor?: string | undefined;
}

/** `log --json`: the newest acts first. */
export interface ActLog {
  readonly acts: readonly Act[];
  /** Give it as `cursor` to read on. Null: there are no older acts. */
  readonly nextCursor: string | null;
}

export async function logAgent(
  resources: Pick<Resources, "ledger">,
  { limit = USUAL_ACTS, cursor }: LogOptions,
): Promise<ActLog> {
  const ledger = await resources.ledger("read");
  const read = (query: NewestQuery) => ledger.readActs({ ...query, runId: null });
  const { rows, nextCursor } = await readNewest({ limit, cursor }, read, ({ actId }) => actId);
  return { acts: rows, nextCursor };
}
