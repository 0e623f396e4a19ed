/** Promise 4, for other programs: each document has a number, so that a reader that remembers one misses nothing. */
import { checksOf } from "./audited.ts";

const LAST = "(SELECT coalesce(max(document_number), 0) FROM purchase)";

export const DOCUMENTS = checksOf(4, [
  "SELECT format('the document of purchase %d has no number: no reader of new documents gets it', p.id) FROM content c JOIN purchase p ON p.id = c.purchase_id WHERE p.document_number IS NULL",
  "SELECT format('document %d is of purchase %d, whose content is not there', p.document_number, p.id) FROM purchase p WHERE p.document_number IS NOT NULL AND NOT EXISTS (SELECT 1 FROM content c WHERE c.purchase_id = p.id)",
  "SELECT format('document %d is before the first one, where no reader begins', document_number) FROM purchase WHERE document_number < 1",
  `SELECT format('the cursor %s is at document %d, and there are %d: it would miss the next ones', name, max(seq, coalesce(pending_seq, 0)), ${LAST}) FROM document_cursor
   WHERE max(seq, coalesce(pending_seq, 0)) > ${LAST}`,
  // Evidence finds the use of a purchase by this order.
  `SELECT format('use %d is of document %d, and use %d before it of document %d', id, number, before, numberBefore) FROM (
     SELECT u.id, p.document_number AS number, lag(u.id) OVER (ORDER BY u.id) AS before, lag(p.document_number) OVER (ORDER BY u.id) AS numberBefore
     FROM use u JOIN purchase p ON p.id = u.purchase_id WHERE u.kind = 'fetch' AND p.document_number IS NOT NULL)
   WHERE number <= numberBefore`,
  "SELECT format('purchase %d is found by the hash of other content', h.purchase_id) FROM hashed_content h LEFT JOIN content c ON c.purchase_id = h.purchase_id WHERE c.content_hash IS NULL OR substr(c.content_hash, 1, 32) <> lower(hex(h.hash_start))",
  `SELECT format('purchase %d is not found by its hash, and document %d after it is', id, (SELECT document_number FROM hashed_through)) FROM (
     SELECT id FROM purchase WHERE document_number <= (SELECT document_number FROM hashed_through) EXCEPT SELECT purchase_id FROM hashed_content)`,
]);
