/** The life of a slot: claimed, started, ended; or missed. What changes an open slot compares the process that has it. */
import type { Ledger } from "../../ledger.ts";
import { OPEN_SLOT_STATES, type OpenSlot } from "../../schedule-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** As the index of open slots has it: SQLite uses the index only for these words. */
const IS_OPEN = `state IN (${OPEN_SLOT_STATES.map((state) => `'${state}'`).join(", ")})`;
const IS_HELD = `schedule = @schedule AND slot_at = @slotAt AND process = @process AND ${IS_OPEN}`;

/** Writes: slot. The key decides: of two claims one inserts the row. */
export function createClaimSlot({ db, write }: LedgerCore): Ledger["claimSlot"] {
  const insert = db.prepare<{ schedule: string; slotAt: number; process: string; now: number }>(
    `INSERT INTO slot (schedule, slot_at, state, process, first_at, slots, claimed_at)
     VALUES (@schedule, @slotAt, 'claimed', @process, @slotAt, 1, @now) ON CONFLICT DO NOTHING`,
  );
  return ({ schedule, slotAt, process, now }) =>
    write(() => insert.run({ schedule, slotAt, process, now }).changes === 1);
}

/** Writes: slot. Idempotent by its key. */
export function createMissSlots({ db, write }: LedgerCore): Ledger["missSlots"] {
  const insert = db.prepare<Parameters<Ledger["missSlots"]>[0]>(
    `INSERT INTO slot (schedule, slot_at, state, detail, process, first_at, slots, claimed_at, ended_at)
     VALUES (@schedule, @slotAt, 'missed', @detail, @process, @firstAt, @slots, @now, @now) ON CONFLICT DO NOTHING`,
  );
  return (missed) => write(() => insert.run({ ...missed }).changes === 1);
}

/** Writes: slot. A repeated call finds another process, and is false. */
export function createTakeSlot({ db, write }: LedgerCore): Ledger["takeSlot"] {
  const update = db.prepare<{ schedule: string; slotAt: number; process: string; from: string }>(
    `UPDATE slot SET process = @process
     WHERE schedule = @schedule AND slot_at = @slotAt AND process = @from AND ${IS_OPEN}`,
  );
  return (take) => write(() => update.run({ ...take }).changes === 1);
}

/** Writes: slot. Idempotent. */
export function createStartSlot({ db, runs, write }: LedgerCore): Ledger["startSlot"] {
  const update = db.prepare<{ schedule: string; slotAt: number; process: string; runRowId: number | null }>(
    `UPDATE slot SET state = 'started', run_id = @runRowId WHERE ${IS_HELD}`,
  );
  return ({ schedule, slotAt, process, runId }) =>
    write(() => {
      const runRowId = runId === null ? null : runs.idOf(runId);
      return update.run({ schedule, slotAt, process, runRowId }).changes === 1;
    });
}

/** Writes: slot. A repeated call is false. */
export function createEndSlot({ db, write }: LedgerCore): Ledger["endSlot"] {
  const update = db.prepare<Parameters<Ledger["endSlot"]>[0]>(
    `UPDATE slot SET state = @state, detail = @detail, ended_at = @now WHERE ${IS_HELD}`,
  );
  return (end) => write(() => update.run({ ...end }).changes === 1);
}

/** Reads: slot by its index of open ones, run. */
export function createListOpenSlots({ db, read }: LedgerCore): Ledger["listOpenSlots"] {
  const select = db.prepare<[], OpenSlot>(
    `SELECT s.schedule, s.slot_at AS slotAt, s.process, s.state, r.name AS runId, s.claimed_at AS claimedAt
     FROM slot s LEFT JOIN run r ON r.id = s.run_id WHERE s.${IS_OPEN} ORDER BY s.slot_at, s.schedule`,
  );
  return () => read(() => select.all());
}

/** Reads: schedule. Writes: slot. Idempotent: a second call finds nothing more. */
export function createTrimSlots({ db, write }: LedgerCore): Ledger["trimSlots"] {
  const selectNames = db.prepare<[], string>("SELECT name FROM schedule").pluck();
  const remove = db.prepare<{ schedule: string; keep: number }>(
    `DELETE FROM slot WHERE schedule = @schedule AND NOT (${IS_OPEN}) AND slot_at <=
       (SELECT slot_at FROM slot WHERE schedule = @schedule ORDER BY slot_at DESC LIMIT 1 OFFSET @keep)`,
  );
  return ({ keep }) =>
    write(() => selectNames.all().reduce((sum, schedule) => sum + remove.run({ schedule, keep }).changes, 0));
}
