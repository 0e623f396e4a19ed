/** Slots that were recorded under a clock that was ahead. */
import type { Ledger } from "../../ledger.ts";
import type { MissedRow } from "../../schedule-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

const IS_AHEAD = "schedule = @schedule AND slot_at > @now";
/** Of slots that began nothing. */
const BEGAN_NOTHING = "(state IN ('missed', 'refused') OR (state = 'failed' AND run_id IS NULL))";

interface Ahead {
  readonly schedule: string;
  readonly now: number;
}

/** Reads: slot by a range of its key. */
export function createReadSlotsAhead({ db, read }: LedgerCore): Ledger["readSlotsAhead"] {
  const count = db.prepare<Ahead, { rows: number; latestAt: number | null }>(
    `SELECT count(*) AS "rows", max(slot_at) AS latestAt FROM slot WHERE ${IS_AHEAD}`,
  );
  const selectStraddling = db.prepare<Ahead, MissedRow>(
    `SELECT slot_at AS slotAt, first_at AS firstAt, slots FROM slot WHERE ${IS_AHEAD} AND state = 'missed' AND first_at <= @now`,
  );
  return (query) =>
    read(() => ({
      ...(count.get({ ...query }) ?? { rows: 0, latestAt: null }),
      straddling: selectStraddling.all({ ...query }),
    }));
}

/** Writes: slot. Idempotent: a second call finds nothing more. */
export function createTakeBackSlotsAhead({ db, write }: LedgerCore): Ledger["takeBackSlotsAhead"] {
  // Where the slot has a row of its own, that row says what came of it.
  const shorten = db.prepare<Ahead & MissedRow>(
    `UPDATE OR IGNORE slot SET slot_at = @slotAt, slots = @slots
     WHERE ${IS_AHEAD} AND state = 'missed' AND first_at = @firstAt`,
  );
  const remove = db.prepare<Ahead>(`DELETE FROM slot WHERE ${IS_AHEAD} AND ${BEGAN_NOTHING}`);
  return ({ schedule, now, came }) =>
    write(() => {
      const shortened = came.reduce(
        (sum, { slotAt, firstAt, slots }) => sum + shorten.run({ schedule, now, slotAt, firstAt, slots }).changes,
        0,
      );
      return shortened + remove.run({ schedule, now }).changes;
    });
}
