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
  const later = tx.all<NewRow>(SELECT_NEW, readThrough(tx), -1).filter((row) => row.hash === hash);
  const indexed = tx.values<number>`SELECT h.purchase_id FROM hashed_content h CROSS JOIN content c ON c.purchase_id = h.purchase_id
    WHERE h.hash_start = ${startOf(hash)} AND c.content_hash = ${hash} ORDER BY h.purchase_id DESC LIMIT ${limit}`;
  return [...later.map(({ purchaseId }) => purchaseId), ...indexed].sort((a, b) => b - a).slice(0, limit);
}

function readThrough(tx: ReadTx): number {
  return tx.value<number>("SELECT document_number FROM hashed_through WHERE id = 1") ?? 0;
}

/** Half of it tells more pages apart than there are. */
function startOf(hash: string): Buffer {
  return Buffer.from(hash.slice(0, 32), "hex");
}
