/** What purchases brought, and how far its readers have come. */
import { blob, check, index, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { keyOf } from "./key-of.ts";
import { page } from "./pages.ts";
import { purchase } from "./purchases.ts";

/** What a purchase brought. Written once; `licet purge` takes the texts out, and the row with its hash stays. */
export const content = sqliteTable(
  "content",
  {
    purchaseId: integer("purchase_id")
      .primaryKey()
      .references(() => purchase.id),
    pageId: keyOf("page_id", () => page.id),
    contentHash: text("content_hash").notNull(),
    title: text("title"),
    author: text("author"),
    description: text("description"),
    imageUrl: text("image_url"),
    modified: text("modified"),
    published: text("published"),
    /** Why Markdown could not be derived, where that was known at the settlement. */
    conversionFailure: text("conversion_failure"),
    /** As sent, or derived before the settlement; what was derived later is in derived_markdown. */
    markdown: text("markdown"),
    html: text("html"),
    header: text("header"),
    footer: text("footer"),
    /** When `licet purge` removed the texts, and why. The hash stays. */
    purgedAt: integer("purged_at"),
    purgeReason: text("purge_reason"),
    /** Instead of `markdown` and `html`, as zstd: of content that came while `ledger.compress` asked for it. */
    markdownZstd: blob("markdown_zstd", { mode: "buffer" }),
    htmlZstd: blob("html_zstd", { mode: "buffer" }),
  },
  // Whether content is there is asked often, and the column is behind texts of many pages of the file.
  (t) => [index("content_purged").on(t.purchaseId).where(sql`purged_at is not null`)],
);

/**
 * Markdown derived after the settlement from the HTML that was paid for. The row is made with the content, empty; a
 * table of its own, because a later UPDATE would write the whole HTML again.
 */
export const derivedMarkdown = sqliteTable(
  "derived_markdown",
  {
    purchaseId: integer("purchase_id")
      .primaryKey()
      .references(() => content.purchaseId),
    markdown: text("markdown"),
    failure: text("failure"),
  },
  (t) => [
    check("derived_markdown_once", sql`${t.markdown} is null or ${t.failure} is null`),
    index("derived_markdown_due").on(t.purchaseId).where(sql`markdown is null and failure is null`),
  ],
);

/** Numbers of documents up to this one are given to none any more: another copy of the ledger may have given them. A single row, or none. */
export const documentsLeftOut = sqliteTable(
  "documents_left_out",
  {
    id: integer("id").primaryKey(),
    through: integer("through").notNull(),
  },
  (t) => [check("documents_left_out_single", sql`${t.id} = 1`)],
);

/** How far a reader of documents has come. */
export const documentCursor = sqliteTable(
  "document_cursor",
  {
    name: text("name").primaryKey(),
    /** Which documents it reads, as text: one name never means two selections. */
    selection: text("selection").notNull(),
    /** The last `purchase.document_number` that the reader has. */
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
