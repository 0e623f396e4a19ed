import type { LedgerCore } from "../ledger-core.ts";

/** Slots looked at in one transaction: the settlements of a run beside it must not wait long. */
const CHUNK_ROWS = 5_000;

interface SlotRow {
  readonly schedule: string;
  readonly slotAt: number;
  readonly goes: number;
}

/** Reads: slot by its key. Writes: slot. The newest of each schedule stays: it says up to when slots are dealt with. Idempotent. */
export async function pruneSlots(core: LedgerCore, before: number, dryRun: boolean): Promise<number> {
  let pruned = 0;
  let from: Pick<SlotRow, "schedule" | "slotAt"> = { schedule: "", slotAt: 0 };
  for (;;) {
    const { schedule, slotAt } = from;
    const rows = await core.read(
      (tx) =>
        tx.all<SlotRow>`SELECT s.schedule, s.slot_at AS slotAt,
          s.ended_at < ${before} AND EXISTS (SELECT 1 FROM slot n WHERE n.schedule = s.schedule AND n.slot_at > s.slot_at) AS goes
        FROM slot s WHERE (s.schedule, s.slot_at) > (${schedule}, ${slotAt}) ORDER BY s.schedule, s.slot_at LIMIT ${CHUNK_ROWS}`,
    );
    const going = rows.filter(({ goes }) => goes === 1);
    pruned +=
      dryRun || going.length === 0
        ? going.length
        : await core.write((tx) =>
            going.reduce(
              (sum, row) =>
                sum + tx.run`DELETE FROM slot WHERE schedule = ${row.schedule} AND slot_at = ${row.slotAt}`.changes,
              0,
            ),
          );
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK_ROWS) {
      return pruned;
    }
    from = last;
  }
}
