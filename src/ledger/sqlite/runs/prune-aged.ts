import type { LedgerCore } from "../ledger-core.ts";

/** Rows deleted in one transaction: the settlements of a run beside it must not wait long. */
const CHUNK_ROWS = 5_000;

/** A notification that goes. */
export const AGED_HINT = "received_at < @before AND state IN ('done', 'unknown_site', 'excluded')";

/**
 * Old rows that only explain and that nothing refers to. What has not ended stays, whatever its age. An alert about something that a person
 * has to end stays too: while that is open, its alert must not be told again; nor that of a
 * budget whose period never ends.
 */
const AGED = {
  hints: `hint WHERE ${AGED_HINT}`,
  alerts: `alert WHERE raised_at < @before AND kind NOT IN ('in_doubt', 'open_item') AND key NOT LIKE 'budget%:total:%'
    AND NOT EXISTS (SELECT 1 FROM alert_delivery d WHERE d.alert_id = alert.id AND d.state = 'pending')`,
} as const;

export type AgedCounts = Readonly<Record<keyof typeof AGED, number>>;

/** Reads and writes: hint by its age, alert with its deliveries. Idempotent. */
export function createAgedPruning(core: LedgerCore): (before: number, dryRun: boolean) => Promise<AgedCounts> {
  const hints = createPruning(core, AGED.hints, []);
  // The connection checks no references, so nothing is deleted with the alert by itself.
  const alerts = createPruning(core, AGED.alerts, ["DELETE FROM alert_delivery WHERE alert_id = ?"]);
  return async (before, dryRun) => ({ hints: await hints(before, dryRun), alerts: await alerts(before, dryRun) });
}

/** @param first statements that delete what belongs to a row, by its id */
function createPruning(
  { db, read, write }: LedgerCore,
  rows: string,
  first: readonly string[],
): (before: number, dryRun: boolean) => Promise<number> {
  const count = db.prepare<{ before: number }, number>(`SELECT count(*) FROM ${rows}`).pluck();
  const select = db.prepare<{ before: number; limit: number }, number>(`SELECT id FROM ${rows} LIMIT @limit`).pluck();
  const table = rows.slice(0, rows.indexOf(" "));
  const removals = [...first, `DELETE FROM ${table} WHERE id = ?`].map((sql) => db.prepare<[number]>(sql));
  const removeChunk = (before: number): number => {
    const ids = select.all({ before, limit: CHUNK_ROWS });
    for (const id of ids) {
      for (const removal of removals) {
        removal.run(id);
      }
    }
    return ids.length;
  };
  return async (before, dryRun) => {
    if (dryRun) {
      return read(() => count.get({ before }) ?? 0);
    }
    for (let pruned = 0; ; ) {
      const removed = await write(() => removeChunk(before));
      pruned += removed;
      if (removed < CHUNK_ROWS) {
        return pruned;
      }
    }
  };
}
