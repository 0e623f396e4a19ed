/**
 * The delivery records of a reading in pieces that are compared at once: all records of a page are compared with its hints together, and small
 * pages share a piece. A page counts with its newest records alone where it has very many: a hint is a reason to look at the page, and one look
 * finds what all its records could say. So the memory is bounded, whatever a gateway keeps.
 */
import type { SpoolRow } from "../../ledger/spool.ts";
import { type Attempt, toAttempt } from "./delivery-records.ts";

/** Records that are compared with the ledger without a turn of the event loop, unless one page has more. */
const PIECE_RECORDS = 500;
/** No page changes so often within some days: some 5 MB. */
export const MAX_RECORDS_OF_PAGE = 10_000;

export interface RecordPiece {
  readonly attempts: readonly Attempt[];
  /** The time of the oldest record of a page that has more, epoch ms: older hints account for records that are left out. Null: all are here. */
  readonly keptFrom: number | null;
}

/** @param rows in the order of their pages, and of time within a page */
export function* recordsOfPages(rows: Iterable<SpoolRow>): Iterable<RecordPiece> {
  let piece: Attempt[] = [];
  for (const page of byPage(rows)) {
    if (page.keptFrom !== null) {
      yield page;
      continue;
    }
    piece.push(...page.attempts);
    if (piece.length >= PIECE_RECORDS) {
      yield { attempts: piece, keptFrom: null };
      piece = [];
    }
  }
  if (piece.length > 0) {
    yield { attempts: piece, keptFrom: null };
  }
}

function* byPage(rows: Iterable<SpoolRow>): Iterable<RecordPiece> {
  let page: SpoolRow[] = [];
  let isCut = false;
  const toPiece = (): RecordPiece => {
    const kept = isCut ? page.slice(-MAX_RECORDS_OF_PAGE) : page;
    return { attempts: kept.map(toAttempt), keptFrom: isCut ? (kept[0]?.at ?? null) : null };
  };
  for (const row of rows) {
    if (page[0] !== undefined && page[0].key !== row.key) {
      yield toPiece();
      page = [];
      isCut = false;
    }
    page.push(row);
    isCut ||= page.length > MAX_RECORDS_OF_PAGE;
    if (page.length >= 2 * MAX_RECORDS_OF_PAGE) {
      page = page.slice(-MAX_RECORDS_OF_PAGE);
    }
  }
  if (page.length > 0) {
    yield toPiece();
  }
}
