/**
 * Pages that a walk finds and that the ledger did not know have ids that follow each other. A run's frontier has one row for all of them that wait in
 * the same quote batch, a *range*: they wait until the batch is done, and are decided with it. As soon as one page of a range is to stand otherwise, it
 * gets a row of its own (schema/work.ts). Called within a write, but for `findSeen`.
 */
import type { ReadTx, Tx } from "../operation.ts";
import type { FrontierState } from "../schema/work.ts";

export interface RangeWriter {
  /** Pages come in the order of their ids. */
  add(pageId: number, batchId: number): void;
  /** Writes what was added last. */
  done(): void;
}

/** Puts pages into the frontier that the ledger did not know before. */
export function writeRanges(tx: Tx, runRowId: number): RangeWriter {
  let range: { readonly firstId: number; lastId: number; readonly batchId: number } | null = null;
  function done(): void {
    if (range !== null) {
      tx.run`INSERT INTO frontier_range (run_id, first_page_id, last_page_id, batch_id)
        VALUES (${runRowId}, ${range.firstId}, ${range.lastId}, ${range.batchId})`;
      range = null;
    }
  }
  return {
    add(pageId, batchId) {
      if (range !== null && range.lastId + 1 === pageId && range.batchId === batchId) {
        range.lastId = pageId;
      } else {
        done();
        range = { firstId: pageId, lastId: pageId, batchId };
      }
    },
    done,
  };
}

// Of the ranges that begin before the page or with it, the last one: no two of a run have a page in common.
const RANGE_OF_PAGE = `SELECT first_page_id AS firstId, last_page_id AS lastId, batch_id AS batchId FROM frontier_range
  WHERE run_id = @runRowId AND first_page_id <= @pageId ORDER BY first_page_id DESC LIMIT 1`;

/** SQL: whether the run `@runRowId` has the page `p` in a range. */
export const IS_IN_RANGE = `coalesce((SELECT r.last_page_id FROM frontier_range r
  WHERE r.run_id = @runRowId AND r.first_page_id <= p.id ORDER BY r.first_page_id DESC LIMIT 1), 0) >= p.id`;

const SELECT_SEEN = `SELECT state FROM frontier WHERE run_id = @runRowId AND page_id = @pageId
  UNION ALL SELECT 'waiting' FROM (${RANGE_OF_PAGE}) WHERE lastId >= @pageId`;

/** As what the run has met the page: what became of it with its batch is not looked at. Undefined: it has not. */
export function findSeen(tx: ReadTx, runRowId: number, pageId: number): FrontierState | undefined {
  return tx.value<FrontierState>(SELECT_SEEN, { runRowId, pageId });
}

interface RangeRow {
  readonly firstId: number;
  readonly lastId: number;
  readonly batchId: number;
}

/** A page of a range gets a row of its own, and stands as it did. Any other page stays as it is. */
export function giveRow(tx: Tx, runRowId: number, pageId: number): void {
  const range = tx.get<RangeRow>(RANGE_OF_PAGE, { runRowId, pageId });
  if (range === undefined || range.lastId < pageId) {
    return;
  }
  const { firstId, lastId, batchId } = range;
  tx.run`DELETE FROM frontier_range WHERE run_id = ${runRowId} AND first_page_id = ${firstId}`;
  for (const [from, to] of [
    [firstId, pageId - 1],
    [pageId + 1, lastId],
  ] as const) {
    if (from <= to) {
      tx.run`INSERT INTO frontier_range (run_id, first_page_id, last_page_id, batch_id) VALUES (${runRowId}, ${from}, ${to}, ${batchId})`;
    }
  }
  tx.run`INSERT INTO frontier (run_id, page_id, state, batch_id) VALUES (${runRowId}, ${pageId}, 'waiting', ${batchId})`;
}

/** All pages of the ranges of a quote batch get rows of their own. */
export function giveRows(tx: Tx, batchId: number): void {
  tx.run`INSERT INTO frontier (run_id, page_id, state, batch_id) SELECT r.run_id, p.id, 'waiting', r.batch_id
    FROM frontier_range r CROSS JOIN page p ON p.id BETWEEN r.first_page_id AND r.last_page_id WHERE r.batch_id = ${batchId}`;
  tx.run`DELETE FROM frontier_range WHERE batch_id = ${batchId}`;
}
