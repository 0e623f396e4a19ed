import { check, index, integer, primaryKey, real, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isNotNegative } from "./checks.ts";
import { page } from "./page.ts";
import { run } from "./run.ts";

/** What a list or a plan says of one of its pages. Kept: documents carry the `key` of the newest list that names their page. */
export const listedPage = sqliteTable(
  "listed_page",
  {
    runId: integer("run_id")
      .notNull()
      .references(() => run.id),
    pageId: integer("page_id")
      .notNull()
      .references(() => page.id),
    /** The line that names the page, from 1. */
    line: integer("line").notNull(),
    /** The most that the page may cost, fee included. */
    maxPriceMicros: integer("max_price_micros"),
    maxPriceCurrency: text("max_price_currency"),
    /** What the page is worth to whoever wrote the list. */
    value: real("value"),
    /** The caller's own name of the page. */
    key: text("key"),
    /** The license that a plan named. NULL: any that the policy allows. */
    licenseType: text("license_type"),
    licenseCuid: text("license_cuid"),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.pageId] }),
    index("listed_page_key").on(t.pageId, t.runId).where(sql`key is not null`),
    check("listed_page_max_price", isNotNegative(t.maxPriceMicros)),
    check("listed_page_max_price_currency", sql`(${t.maxPriceMicros} is null) = (${t.maxPriceCurrency} is null)`),
    check("listed_page_value", isNotNegative(t.value)),
  ],
);
