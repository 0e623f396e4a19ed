import { integer, sqliteTable } from "../engine/drizzle.ts";
import { purchase } from "./purchase.ts";

/**
 * Documents in the order in which they were settled, which is not the order of their purchases. Written with `content` (purchases/stored-content.ts): a reader
 * that remembers a number gets exactly the later ones.
 */
export const settledDocument = sqliteTable("settled_document", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  purchaseId: integer("purchase_id")
    .notNull()
    .unique()
    .references(() => purchase.id),
});
