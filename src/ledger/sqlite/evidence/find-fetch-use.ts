import type { ReadTx } from "../operation.ts";

interface FetchRow {
  readonly useId: number;
  readonly purchaseId: number;
  /** Of the document that came with it. */
  readonly number: number;
}

const SELECT_FETCH = `SELECT u.id AS useId, u.purchase_id AS purchaseId, p.document_number AS number
  FROM use u CROSS JOIN purchase p ON p.id = u.purchase_id WHERE u.id >= ? AND u.kind = 'fetch' AND p.document_number IS NOT NULL ORDER BY u.id LIMIT 1`;

/**
 * The use that a purchase itself is. No index leads from a purchase to it, because each page would have to write it. But the transaction that
 * settles a page gives its document the next number and its use the next id, so both are in one order, and it is found by halving.
 */
export function findFetchUse(tx: ReadTx, documentNumber: number): number | null {
  let from = 1;
  let to = tx.value<number>("SELECT max(id) FROM use") ?? 0;
  while (from <= to) {
    const middle = from + Math.floor((to - from) / 2);
    const row = tx.get<FetchRow>(SELECT_FETCH, middle);
    if (row?.number === documentNumber) {
      return row.useId;
    }
    if (row === undefined || row.number > documentNumber) {
      to = middle - 1;
    } else {
      from = row.useId + 1;
    }
  }
  return null;
}
