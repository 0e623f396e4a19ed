/** Damage to the numbers of documents, by which other programs know what is new. */
import type { NamedDamage } from "./named-damage.ts";

export const DOCUMENT_DAMAGE: readonly NamedDamage[] = [
  [
    "a document without its number",
    "UPDATE purchase SET document_number = NULL WHERE document_number = 1",
    4,
    /^the document of purchase \d+ has no number/,
  ],
  [
    "the number of a document that is not there",
    "UPDATE purchase SET document_number = 1000 WHERE id = (SELECT min(id) FROM purchase WHERE id NOT IN (SELECT purchase_id FROM content))",
    4,
    /^document 1000 is of purchase \d+, whose content is not there/,
  ],
  [
    "a cursor beyond the last document",
    "INSERT INTO document_cursor (name, selection, seq, at) VALUES ('lake', 'all documents', 1000000000000, 1)",
    4,
    /^the cursor lake is at document 1000000000000, and there are \d+/,
  ],
];
