/** The life of a slot: claimed, started, ended; or missed. What changes an open slot compares the process that has it. */

import { OPEN_SLOT_STATES, type OpenSlot } from "../../schedule-ledger.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";

/** As the index of open slots has it: SQLite uses the index only for these words. */
const IS_OPEN = `state IN (${OPEN_SLOT_STATES.map((state) => `'${state}'`).join(", ")})`;
const IS_HELD = `schedule = @schedule AND slot_at = @slotAt AND process = @process AND ${IS_OPEN}`;

/** Writes: slot. The key decides: of two claims one inserts the row, and a second call is false. */
export function claimSlot(tx: Tx, { schedule, slotAt, process, now }: Asked<"claimSlot">): boolean {
  return tx.changed`INSERT INTO slot (schedule, slot_at, state, process, first_at, slots, claimed_at)
    VALUES (${schedule}, ${slotAt}, 'claimed', ${process}, ${slotAt}, 1, ${now}) ON CONFLICT DO NOTHING`;
}

const MISS = `INSERT INTO slot (schedule, slot_at, state, detail, process, first_at, slots, claimed_at, ended_at)
  VALUES (@schedule, @slotAt, 'missed', @detail, @process, @firstAt, @slots, @now, @now) ON CONFLICT DO NOTHING`;

/** Writes: slot. Idempotent by its key. */
export function missSlots(tx: Tx, missed: Asked<"missSlots">): boolean {
  return tx.changed(MISS, { ...missed });
}

const TAKE = `UPDATE slot SET process = @process
  WHERE schedule = @schedule AND slot_at = @slotAt AND process = @from AND ${IS_OPEN}`;

/** Writes: slot. A repeated call finds another process, and is false. */
export function takeSlot(tx: Tx, take: Asked<"takeSlot">): boolean {
  return tx.changed(TAKE, { ...take });
}

const START = `UPDATE slot SET state = 'started', run_id = @runRowId WHERE ${IS_HELD}`;

/** Writes: slot. Idempotent. */
export function startSlot(tx: Tx, { schedule, slotAt, process, runId }: Asked<"startSlot">): boolean {
  const runRowId = runId === null ? null : tx.runs.idOf(runId);
  return tx.changed(START, { schedule, slotAt, process, runRowId });
}

const END = `UPDATE slot SET state = @state, detail = @detail, ended_at = @now WHERE ${IS_HELD}`;

/** Writes: slot. A repeated call is false. */
export function endSlot(tx: Tx, end: Asked<"endSlot">): boolean {
  return tx.changed(END, { ...end });
}

const SELECT_OPEN = `SELECT s.schedule, s.slot_at AS slotAt, s.process, s.state, r.name AS runId, s.claimed_at AS claimedAt
  FROM slot s LEFT JOIN run r ON r.id = s.run_id WHERE s.${IS_OPEN} ORDER BY s.slot_at, s.schedule`;

/** Reads: slot by its index of open ones, run. */
export function listOpenSlots(tx: ReadTx): Answered<"listOpenSlots"> {
  return tx.all<OpenSlot>(SELECT_OPEN);
}

const TRIM = `DELETE FROM slot WHERE schedule = @schedule AND NOT (${IS_OPEN}) AND slot_at <=
  (SELECT slot_at FROM slot WHERE schedule = @schedule ORDER BY slot_at DESC LIMIT 1 OFFSET @keep)`;

/** Reads: schedule. Writes: slot. Idempotent: a second call finds nothing more. */
export function trimSlots(tx: Tx, { keep }: Asked<"trimSlots">): number {
  return tx
    .values<string>("SELECT name FROM schedule")
    .reduce((sum, schedule) => sum + tx.run(TRIM, { schedule, keep }).changes, 0);
}
