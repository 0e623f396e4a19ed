import { check, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";

/** How far a reader of documents has come. */
export const documentCursor = sqliteTable(
  "document_cursor",
  {
    name: text("name").primaryKey(),
    /** Which documents it reads, as text: one name never means two selections. */
    selection: text("selection").notNull(),
    /** The last `settled_document.seq` that the reader has. */
    seq: integer("seq").notNull(),
    /** The end of what is being written at the moment: a repeated attempt writes exactly the same documents. */
    pendingSeq: integer("pending_seq"),
    /** Where these are being written, which a repeated attempt must not change. */
    pendingTarget: text("pending_target"),
    /** The process that reads with it, and until when it counts as alive without a new sign. NULL: nobody reads. */
    process: text("process"),
    aliveUntil: integer("alive_until"),
    at: integer("at").notNull(),
  },
  (t) => [
    check("document_cursor_seq", sql`${t.seq} >= 0`),
    check("document_cursor_pending", sql`${t.pendingSeq} > ${t.seq}`),
    check("document_cursor_target", sql`(${t.pendingSeq} is null) = (${t.pendingTarget} is null)`),
    check("document_cursor_process", sql`(${t.process} is null) = (${t.aliveUntil} is null)`),
  ],
);
