import { check, index, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { content } from "./content.ts";

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
