import type { CursorRange, CursorReader, CursorTaken } from "../../document-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** A cursor that lives longer than so many times the given time was taken by a clock that has been set back since. */
const MAX_LIVES_AHEAD = 2;

interface CursorRow {
  readonly selection: string;
  readonly seq: number;
  readonly pendingSeq: number | null;
  readonly pendingTarget: string | null;
  readonly process: string | null;
  readonly aliveUntil: number | null;
}

const SELECT = `SELECT selection, seq, pending_seq AS pendingSeq, pending_target AS pendingTarget, process, alive_until AS aliveUntil
  FROM document_cursor WHERE name = ?`;
const SELECT_LAST = "SELECT coalesce(max(seq), 0) FROM settled_document";

/** Reads and writes: document_cursor. Reads settled_document. Idempotent by process. */
export function createTakeCursor({ db, write }: LedgerCore): Ledger["takeCursor"] {
  const select = db.prepare<[string], CursorRow>(SELECT);
  const selectLast = db.prepare<[], number>(SELECT_LAST).pluck();
  const insert = db.prepare<{ name: string; selection: string; now: number }>(
    "INSERT INTO document_cursor (name, selection, seq, at) VALUES (@name, @selection, 0, @now) ON CONFLICT (name) DO NOTHING",
  );
  const take = db.prepare<{ name: string; process: string; aliveUntil: number }>(
    "UPDATE document_cursor SET process = @process, alive_until = @aliveUntil WHERE name = @name",
  );
  return ({ name, selection, process, now, aliveMs, gone }) =>
    write((): CursorTaken => {
      insert.run({ name, selection, now });
      const row = select.get(name) as CursorRow;
      if (row.selection !== selection) {
        return { kind: "other_selection", selection: row.selection };
      }
      const { process: holder, aliveUntil } = row;
      const lasts = aliveUntil !== null && aliveUntil > now && aliveUntil <= now + MAX_LIVES_AHEAD * aliveMs;
      if (holder !== null && holder !== process && holder !== gone && lasts) {
        return { kind: "alive", process: holder };
      }
      const lastSeq = selectLast.get() as number;
      if (Math.max(row.seq, row.pendingSeq ?? 0) > lastSeq) {
        return { kind: "ahead", seq: row.seq, lastSeq };
      }
      take.run({ name, process, aliveUntil: now + aliveMs });
      return { kind: "taken", seq: row.seq, pending: toRange(row) };
    });
}

function toRange({ seq, pendingSeq, pendingTarget }: CursorRow): CursorRange | null {
  return pendingSeq === null || pendingTarget === null
    ? null
    : { afterSeq: seq, throughSeq: pendingSeq, target: pendingTarget };
}

/** Reads: document_cursor. */
export function createReadCursorProcess({ db, read }: LedgerCore): Ledger["readCursorProcess"] {
  const select = db.prepare<[string], string | null>("SELECT process FROM document_cursor WHERE name = ?").pluck();
  return (name) => read(() => select.get(name) ?? null);
}

/** Reads and writes: document_cursor. Reads settled_document. Idempotent: a fixed range stays until the cursor has passed it. */
export function createFixRange({ db, write }: LedgerCore): Ledger["fixRange"] {
  const select = db.prepare<[string], CursorRow>(SELECT);
  const selectLast = db.prepare<[], number>(SELECT_LAST).pluck();
  const fix = db.prepare<CursorReader & { lastSeq: number; target: string; aliveUntil: number }>(
    `UPDATE document_cursor SET pending_seq = @lastSeq, pending_target = @target, alive_until = @aliveUntil, at = @now
     WHERE name = @name AND process = @process`,
  );
  return ({ name, process, now, target, aliveMs }) =>
    write(() => {
      const row = select.get(name);
      if (row === undefined || row.process !== process) {
        return null;
      }
      const pending = toRange(row);
      const lastSeq = selectLast.get() as number;
      if (pending !== null || lastSeq <= row.seq) {
        return pending;
      }
      fix.run({ name, process, now, lastSeq, target, aliveUntil: now + aliveMs });
      return { afterSeq: row.seq, throughSeq: lastSeq, target };
    });
}

/** Writes: document_cursor. Idempotent: a number that the cursor has passed changes nothing. */
export function createAdvanceCursor({ db, write }: LedgerCore): Ledger["advanceCursor"] {
  const selectProcess = createSelectProcess(db);
  const advance = db.prepare<CursorReader & { seq: number; aliveUntil: number }>(
    `UPDATE document_cursor SET seq = @seq, at = @now, alive_until = iif(process IS NULL, NULL, @aliveUntil),
       pending_target = iif(pending_seq > @seq, pending_target, NULL), pending_seq = iif(pending_seq > @seq, pending_seq, NULL)
     WHERE name = @name AND seq < @seq`,
  );
  return ({ name, process, now, seq, aliveMs }) =>
    write(() => {
      const holder = selectProcess(name);
      if (holder !== null && holder !== process) {
        return false;
      }
      advance.run({ name, process, now, seq, aliveUntil: now + aliveMs });
      return true;
    });
}

/** Writes: document_cursor. */
export function createRenewCursor({ db, write }: LedgerCore): Ledger["renewCursor"] {
  const renew = db.prepare<{ name: string; process: string; aliveUntil: number }>(
    "UPDATE document_cursor SET alive_until = @aliveUntil WHERE name = @name AND process = @process",
  );
  return ({ name, process, now, aliveMs }) =>
    write(() => renew.run({ name, process, aliveUntil: now + aliveMs }).changes === 1);
}

/** Writes: document_cursor. */
export function createReleaseCursor({ db, write }: LedgerCore): Ledger["releaseCursor"] {
  const release = db.prepare<{ name: string; process: string }>(
    "UPDATE document_cursor SET process = NULL, alive_until = NULL WHERE name = @name AND process = @process",
  );
  return ({ name, process }) =>
    write(() => {
      release.run({ name, process });
    });
}

/** Reads: settled_document. */
export function createReadLastSettled({ db, read }: LedgerCore): Ledger["readLastSettled"] {
  const selectLast = db.prepare<[], number>(SELECT_LAST).pluck();
  return () => read(() => selectLast.get() as number);
}

function createSelectProcess(db: LedgerCore["db"]): (name: string) => string | null {
  const select = db.prepare<[string], string | null>("SELECT process FROM document_cursor WHERE name = ?").pluck();
  return (name) => select.get(name) ?? null;
}
