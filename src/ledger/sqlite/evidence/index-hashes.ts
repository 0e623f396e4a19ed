import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";

interface NewRow {
  readonly number: number;
  readonly purchaseId: number;
  readonly hash: string;
}

const SELECT_NEW = `SELECT p.document_number AS number, p.id AS purchaseId, c.content_hash AS hash
  FROM purchase p CROSS JOIN content c ON c.purchase_id = p.id
  WHERE p.document_number IS NOT NULL AND p.document_number > ? ORDER BY p.document_number LIMIT ?`;

/** Reads: purchase, content. Writes: hashed_content, hashed_through. Idempotent: a second call goes on behind the first. */
export function indexHashes(tx: Tx, { limit }: Asked<"indexHashes">): Answered<"indexHashes"> {
  const rows = tx.all<NewRow>(SELECT_NEW, readThrough(tx), limit);
  const last = rows.at(-1);
  if (last === undefined) {
    return 0;
  }
  for (const { purchaseId, hash } of rows) {
    tx.run`INSERT INTO hashed_content (hash_start, purchase_id) VALUES (${startOf(hash)}, ${purchaseId}) ON CONFLICT DO NOTHING`;
  }
  tx.run`INSERT INTO hashed_through (id, document_number) VALUES (1, ${last.number}) ON CONFLICT (id) DO UPDATE SET document_number = excluded.document_number`;
  return rows.length;
}

/** The purchases with a hash: by the index, and those that it does not have yet, one by one. The newest first. */
export function findHashed(tx: ReadTx, hash: string, limit: number): number[] {
  const later = findUnindexed(tx, hash, { after: 0, most: -1 }).purchaseIds;
  return [...later, ...findIndexed(tx, hash, limit)].sort((a, b) => b - a).slice(0, limit);
}

/** The newest first. */
export function findIndexed(tx: ReadTx, hash: string, limit: number): number[] {
  return tx.values<number>`SELECT h.purchase_id FROM hashed_content h CROSS JOIN content c ON c.purchase_id = h.purchase_id
    WHERE h.hash_start = ${startOf(hash)} AND c.content_hash = ${hash} ORDER BY h.purchase_id DESC LIMIT ${limit}`;
}

/**
 * Those with a hash among the documents that the index does not have yet. @param most how many are looked at. -1: all
 * @returns also the number of the last document that was looked at. Null: there are no others
 */
export function findUnindexed(
  tx: ReadTx,
  hash: string,
  { after, most }: { readonly after: number; readonly most: number },
): { readonly purchaseIds: number[]; readonly looked: number; readonly through: number | null } {
  const rows = tx.all<NewRow>(SELECT_NEW, Math.max(after, readThrough(tx)), most);
  return {
    purchaseIds: rows.filter((row) => row.hash === hash).map(({ purchaseId }) => purchaseId),
    looked: rows.length,
    through: rows.length === most ? (rows.at(-1)?.number ?? null) : null,
  };
}

function readThrough(tx: ReadTx): number {
  return tx.value<number>("SELECT document_number FROM hashed_through WHERE id = 1") ?? 0;
}

/** Half of it tells more pages apart than there are. */
function startOf(hash: string): Buffer {
  return Buffer.from(hash.slice(0, 32), "hex");
}
