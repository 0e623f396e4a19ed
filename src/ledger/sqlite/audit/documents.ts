/** Promise 4, for other programs: each document has a number, so that a reader that remembers one misses nothing. */
import { checksOf } from "./audited.ts";

const LAST = "(SELECT coalesce(max(seq), 0) FROM settled_document)";

export const DOCUMENTS = checksOf(4, [
  "SELECT format('the document of purchase %d has no number: no reader of new documents gets it', purchase_id) FROM content WHERE purchase_id NOT IN (SELECT purchase_id FROM settled_document)",
  "SELECT format('document %d is of purchase %d, whose content is not there', seq, purchase_id) FROM settled_document WHERE purchase_id NOT IN (SELECT purchase_id FROM content)",
  "SELECT format('document %d is before the first one, where no reader begins', seq) FROM settled_document WHERE seq < 1",
  `SELECT format('the cursor %s is at document %d, and there are %d: it would miss the next ones', name, max(seq, coalesce(pending_seq, 0)), ${LAST}) FROM document_cursor
   WHERE max(seq, coalesce(pending_seq, 0)) > ${LAST}`,
]);
