/** Slots that were recorded under a clock that was ahead. */

import type { MissedRow } from "../../schedule-ledger.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";

/** Clocks of two machines may differ by so much, in ms, and by this slot's own lateness. */
const CLOCKS_DIFFER_MS = 60_000;
/** Its time has not come, or it has come since a clock that was ahead wrote the row. */
const IS_AHEAD = `schedule = @schedule AND (slot_at > @now OR claimed_at > @now + ${CLOCKS_DIFFER_MS})`;
/** Of slots that began nothing. */
const BEGAN_NOTHING = "(state IN ('missed', 'refused') OR (state = 'failed' AND run_id IS NULL))";

const COUNT_SLOTS_AHEAD = `SELECT count(*) AS "rows", max(slot_at) AS latestAt FROM slot WHERE ${IS_AHEAD}`;

const SELECT_STRADDLING = `SELECT slot_at AS slotAt, first_at AS firstAt, slots FROM slot
  WHERE schedule = @schedule AND slot_at > @now AND state = 'missed' AND first_at <= @now`;

/** Reads: slot by the schedule of its key. */
export function readSlotsAhead(tx: ReadTx, query: Asked<"readSlotsAhead">): Answered<"readSlotsAhead"> {
  return {
    ...(tx.get<{ rows: number; latestAt: number | null }>(COUNT_SLOTS_AHEAD, { ...query }) ?? {
      rows: 0,
      latestAt: null,
    }),
    straddling: tx.all<MissedRow>(SELECT_STRADDLING, { ...query }),
  };
}

// Where the slot has a row of its own, that row says what came of it.
const SHORTEN_BACK_SLOTS_AHEAD = `UPDATE OR IGNORE slot SET slot_at = @slotAt, slots = @slots, claimed_at = @now
  WHERE schedule = @schedule AND slot_at > @now AND state = 'missed' AND first_at = @firstAt`;

const REMOVE_BACK_SLOTS_AHEAD = `DELETE FROM slot WHERE ${IS_AHEAD} AND ${BEGAN_NOTHING}`;

/** Writes: slot. Idempotent: a second call finds nothing more. */
export function takeBackSlotsAhead(tx: Tx, { schedule, now, came }: Asked<"takeBackSlotsAhead">): number {
  const shortened = came.reduce(
    (sum, { slotAt, firstAt, slots }) =>
      sum + tx.run(SHORTEN_BACK_SLOTS_AHEAD, { schedule, now, slotAt, firstAt, slots }).changes,
    0,
  );
  return shortened + tx.run(REMOVE_BACK_SLOTS_AHEAD, { schedule, now }).changes;
}
