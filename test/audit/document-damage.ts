/** Damage to the numbers of documents, by which other programs know what is new. */
import type { NamedDamage } from "./named-damage.ts";

export const DOCUMENT_DAMAGE: readonly NamedDamage[] = [
  [
    "a document without its number",
    "DELETE FROM settled_document WHERE seq = 1",
    4,
    /^the document of purchase \d+ has no number/,
  ],
  [
    "the number of a document that is not there",
    "UPDATE settled_document SET purchase_id = (SELECT min(id) FROM purchase WHERE id NOT IN (SELECT purchase_id FROM content)) WHERE seq = 1",
    4,
    /^document 1 is of purchase \d+, whose content is not there/,
  ],
  [
    "a cursor beyond the last document",
    "INSERT INTO document_cursor (name, selection, seq, at) VALUES ('lake', 'all documents', 1000000000000, 1)",
    4,
    /^the cursor lake is at document 1000000000000, and there are \d+/,
  ],
];
