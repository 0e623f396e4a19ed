import { check, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";

/** How far a reader of documents has come. */
export const documentCursor = sqliteTable(
  "document_cursor",
  {
    name: text("name").primaryKey(),
    /** The last `settled_document.seq` that the reader has. */
    seq: integer("seq").notNull(),
    /** The end of what is being written at the moment: a repeated attempt writes exactly the same documents. */
    pendingSeq: integer("pending_seq"),
    at: integer("at").notNull(),
  },
  (t) => [check("document_cursor_pending", sql`${t.pendingSeq} >= ${t.seq}`)],
);
