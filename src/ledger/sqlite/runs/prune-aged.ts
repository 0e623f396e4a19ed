import type { LedgerCore } from "../ledger-core.ts";
import type { Tx } from "../operation.ts";

/** Rows deleted in one transaction: the settlements of a run beside it must not wait long. */
const CHUNK_ROWS = 5_000;

/** A notification that goes. */
export const AGED_HINT = "received_at < @before AND state IN ('done', 'unknown_site', 'excluded')";

/**
 * Old rows that only explain and that nothing refers to. What has not ended stays, whatever its age. An alert about something that a person
 * has to end stays too: while that is open, its alert must not be told again; nor that of a
 * budget whose period never ends.
 */
const AGED_ALERT = `raised_at < @before AND kind NOT IN ('in_doubt', 'open_item') AND key NOT LIKE 'budget%:total:%'
  AND NOT EXISTS (SELECT 1 FROM alert_delivery d WHERE d.alert_id = alert.id AND d.state = 'pending')`;

interface AgedRows {
  readonly count: string;
  readonly select: string;
  /** What deletes a row with what belongs to it, by its id. */
  readonly removals: readonly string[];
}

const HINTS: AgedRows = {
  count: `SELECT count(*) FROM hint WHERE ${AGED_HINT}`,
  select: `SELECT id FROM hint WHERE ${AGED_HINT} LIMIT @limit`,
  removals: ["DELETE FROM hint WHERE id = ?"],
};

const ALERTS: AgedRows = {
  count: `SELECT count(*) FROM alert WHERE ${AGED_ALERT}`,
  select: `SELECT id FROM alert WHERE ${AGED_ALERT} LIMIT @limit`,
  removals: ["DELETE FROM alert_delivery WHERE alert_id = ?", "DELETE FROM alert WHERE id = ?"],
};

export interface AgedCounts {
  readonly hints: number;
  readonly alerts: number;
}

/** Reads and writes: hint by its age, alert with its deliveries, in chunks. A second call finds nothing. */
export async function pruneAged(core: LedgerCore, before: number, dryRun: boolean): Promise<AgedCounts> {
  return { hints: await pruneRows(core, HINTS, before, dryRun), alerts: await pruneRows(core, ALERTS, before, dryRun) };
}

async function pruneRows(core: LedgerCore, rows: AgedRows, before: number, dryRun: boolean): Promise<number> {
  if (dryRun) {
    return core.read((tx) => tx.value<number>(rows.count, { before }) ?? 0);
  }
  for (let pruned = 0; ; ) {
    const removed = await core.write(removeChunk, rows, before);
    pruned += removed;
    if (removed < CHUNK_ROWS) {
      return pruned;
    }
  }
}

function removeChunk(tx: Tx, { select, removals }: AgedRows, before: number): number {
  const ids = tx.values<number>(select, { before, limit: CHUNK_ROWS });
  for (const id of ids) {
    for (const removal of removals) {
      tx.run(removal, id);
    }
  }
  return ids.length;
}
