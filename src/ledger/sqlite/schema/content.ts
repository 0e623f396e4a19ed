import { index, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { page } from "./page.ts";
import { purchase } from "./purchase.ts";

/** What a purchase brought. Written once; `licet purge` takes the texts out, and the row with its hash stays. */
export const content = sqliteTable(
  "content",
  {
    purchaseId: integer("purchase_id")
      .primaryKey()
      .references(() => purchase.id),
    pageId: integer("page_id")
      .notNull()
      .references(() => page.id),
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
  },
  // Whether content is there is asked often, and the column is behind texts of many pages of the file.
  (t) => [index("content_purged").on(t.purchaseId).where(sql`purged_at is not null`)],
);
