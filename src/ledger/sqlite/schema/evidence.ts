/** How versions are found by the hash of their content. */
import { blob, check, integer, primaryKey, sql, sqliteTable } from "../engine/drizzle.ts";

/**
 * The first half of a version's hash, and its purchase. Entered when somebody looks for a hash, and not when the page is bought: an index of
 * hashes would be the costliest write of a purchase.
 */
export const hashedContent = sqliteTable(
  "hashed_content",
  {
    hashStart: blob("hash_start", { mode: "buffer" }).notNull(),
    purchaseId: integer("purchase_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.hashStart, t.purchaseId] })],
);

/** Documents up to this number are in `hashed_content`. A single row, or none. */
export const hashedThrough = sqliteTable(
  "hashed_through",
  {
    id: integer("id").primaryKey(),
    documentNumber: integer("document_number").notNull(),
  },
  (t) => [check("hashed_through_single", sql`${t.id} = 1`)],
);
