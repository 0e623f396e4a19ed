import type { LedgerCore } from "../ledger-core.ts";

/** Slots looked at in one transaction: the settlements of a run beside it must not wait long. */
const CHUNK_ROWS = 5_000;

interface SlotRow {
  readonly schedule: string;
  readonly slotAt: number;
  readonly goes: number;
}

/** Reads: slot by its key. Writes: slot. The newest of each schedule stays: it says up to when slots are dealt with. Idempotent. */
export function createSlotPruning({
  db,
  read,
  write,
}: LedgerCore): (before: number, dryRun: boolean) => Promise<number> {
  const select = db.prepare<{ before: number; schedule: string; slotAt: number; limit: number }, SlotRow>(
    `SELECT s.schedule, s.slot_at AS slotAt,
       s.ended_at < @before AND EXISTS (SELECT 1 FROM slot n WHERE n.schedule = s.schedule AND n.slot_at > s.slot_at) AS goes
     FROM slot s WHERE (s.schedule, s.slot_at) > (@schedule, @slotAt) ORDER BY s.schedule, s.slot_at LIMIT @limit`,
  );
  const remove = db.prepare<[string, number]>("DELETE FROM slot WHERE schedule = ? AND slot_at = ?");
  return async (before, dryRun) => {
    let pruned = 0;
    let from: Pick<SlotRow, "schedule" | "slotAt"> = { schedule: "", slotAt: 0 };
    for (;;) {
      const { schedule, slotAt } = from;
      const rows = await read(() => select.all({ before, schedule, slotAt, limit: CHUNK_ROWS }));
      const going = rows.filter(({ goes }) => goes === 1);
      pruned +=
        dryRun || going.length === 0
          ? going.length
          : await write(() => going.reduce((sum, row) => sum + remove.run(row.schedule, row.slotAt).changes, 0));
      const last = rows.at(-1);
      if (last === undefined || rows.length < CHUNK_ROWS) {
        return pruned;
      }
      from = last;
    }
  };
}
