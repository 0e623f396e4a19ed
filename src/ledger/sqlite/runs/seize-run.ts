/**
 * Taking a run into the hands of one process: nothing of it is in the hands of another afterwards, what was only reserved waits to be
 * decided anew, and what is started is in batches that can be leased at once. Called within a write.
 */
import type { RunWorker } from "../../run-ledger.ts";
import { createWaitingPages } from "../frontier/waiting-pages.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createTakeBack, type TakingBack } from "../purchases/take-back.ts";

export interface Seizing extends RunWorker, Pick<TakingBack, "reason" | "detail"> {
  readonly id: number;
  /** Whether another process still works on it: what that one has started, it finishes under its own leases. */
  readonly isAlive: boolean;
}

/** @returns how many reservations were released */
export function createSeizeRun(core: LedgerCore): (seizing: Seizing) => number {
  const takeBack = createTakeBack(core);
  const { requeue } = createWaitingPages(core);
  // Backoffs too: whoever resumes a run wants it to go on now, and a clock that was set back would make a short one long.
  const freeLeases = core.db.prepare<{ id: number; now: number; isAlive: number }>(
    `UPDATE batch SET state = 'ready', ready_at = min(ready_at, @now)
     WHERE run_id = @id AND (state = 'ready' OR (state = 'leased' AND NOT (@isAlive AND stage = 'acquire')))`,
  );
  const begin = core.db.prepare<{ id: number; now: number; process: string; aliveMs: number }>(
    `UPDATE run SET state = 'running', reason = NULL, ended_at = NULL, process = @process, alive_until = @now + @aliveMs,
       worked_ms = worked_ms + max(0, coalesce(ended_at, min(@now, alive_until - @aliveMs), started_at) - coalesce(resumed_at, started_at)),
       resumed_at = @now
     WHERE id = @id`,
  );
  return ({ id, now, process, aliveMs, isAlive, reason, detail }) => {
    freeLeases.run({ id, now, isAlive: isAlive ? 1 : 0 });
    begin.run({ id, now, process, aliveMs });
    const released = takeBack({ runId: id, siteId: null, reason, detail, now });
    requeue(id);
    return released;
  };
}
