import type { CursorRange, CursorTaken } from "../../document-ledger.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";

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
const SELECT_LAST = "SELECT coalesce(max(document_number), 0) FROM purchase WHERE document_number IS NOT NULL";

/** Reads and writes: document_cursor. Reads purchase. Idempotent by process. */
export function takeCursor(tx: Tx, { name, selection, process, now, aliveMs, gone }: Asked<"takeCursor">): CursorTaken {
  tx.run`INSERT INTO document_cursor (name, selection, seq, at) VALUES (${name}, ${selection}, 0, ${now}) ON CONFLICT (name) DO NOTHING`;
  const row = tx.get<CursorRow>(SELECT, name) as CursorRow;
  if (row.selection !== selection) {
    return { kind: "other_selection", selection: row.selection };
  }
  const { process: holder, aliveUntil } = row;
  const lasts = aliveUntil !== null && aliveUntil > now && aliveUntil <= now + MAX_LIVES_AHEAD * aliveMs;
  if (holder !== null && holder !== process && holder !== gone && lasts) {
    return { kind: "alive", process: holder };
  }
  const lastSeq = tx.value<number>(SELECT_LAST) as number;
  if (Math.max(row.seq, row.pendingSeq ?? 0) > lastSeq) {
    return { kind: "ahead", seq: row.seq, lastSeq };
  }
  tx.run`UPDATE document_cursor SET process = ${process}, alive_until = ${now + aliveMs} WHERE name = ${name}`;
  return { kind: "taken", seq: row.seq, pending: toRange(row) };
}

function toRange({ seq, pendingSeq, pendingTarget }: CursorRow): CursorRange | null {
  return pendingSeq === null || pendingTarget === null
    ? null
    : { afterSeq: seq, throughSeq: pendingSeq, target: pendingTarget };
}

/** Reads: document_cursor. */
export function readCursorProcess(tx: ReadTx, name: Asked<"readCursorProcess">): string | null {
  return tx.value<string | null>`SELECT process FROM document_cursor WHERE name = ${name}` ?? null;
}

/** Reads and writes: document_cursor. Reads purchase. Idempotent: a fixed range stays until the cursor has passed it. */
export function fixRange(tx: Tx, { name, process, now, target, aliveMs }: Asked<"fixRange">): Answered<"fixRange"> {
  const row = tx.get<CursorRow>(SELECT, name);
  if (row === undefined || row.process !== process) {
    return null;
  }
  const pending = toRange(row);
  const lastSeq = tx.value<number>(SELECT_LAST) as number;
  if (pending !== null || lastSeq <= row.seq) {
    return pending;
  }
  tx.run`UPDATE document_cursor SET pending_seq = ${lastSeq}, pending_target = ${target}, alive_until = ${now + aliveMs}, at = ${now}
    WHERE name = ${name} AND process = ${process}`;
  return { afterSeq: row.seq, throughSeq: lastSeq, target };
}

/** Writes: document_cursor. Idempotent: a number that the cursor has passed changes nothing. */
export function advanceCursor(tx: Tx, { name, process, now, seq, aliveMs }: Asked<"advanceCursor">): boolean {
  const holder = readCursorProcess(tx, name);
  if (holder !== null && holder !== process) {
    return false;
  }
  tx.run(
    `UPDATE document_cursor SET seq = @seq, at = @now, alive_until = iif(process IS NULL, NULL, @aliveUntil),
       pending_target = iif(pending_seq > @seq, pending_target, NULL), pending_seq = iif(pending_seq > @seq, pending_seq, NULL)
     WHERE name = @name AND seq < @seq`,
    { name, process, now, seq, aliveUntil: now + aliveMs },
  );
  return true;
}

/** Writes: document_cursor. A second call writes the same; false when another process has the cursor. */
export function renewCursor(tx: Tx, { name, process, now, aliveMs }: Asked<"renewCursor">): boolean {
  return tx.changed`UPDATE document_cursor SET alive_until = ${now + aliveMs} WHERE name = ${name} AND process = ${process}`;
}

/** Writes: document_cursor. A second call changes nothing, nor does one of a process that has lost the cursor. */
export function releaseCursor(tx: Tx, { name, process }: Asked<"releaseCursor">): void {
  tx.run`UPDATE document_cursor SET process = NULL, alive_until = NULL WHERE name = ${name} AND process = ${process}`;
}

/** Reads: purchase, by the index of numbers. */
export function readLastSettled(tx: ReadTx): number {
  return tx.value<number>(SELECT_LAST) as number;
}
