import { check, index, integer, primaryKey, real, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isNotNegative } from "./checks.ts";
import { listing } from "./listing.ts";
import { page } from "./page.ts";
import { run } from "./run.ts";
import { site } from "./site.ts";

/**
 * A page that a run has quoted and not decided yet, because its order (`run.order`) needs the quotes of all pages first. Working state,
 * dropped when the run ends or is resumed. The columns from `rank` to `url` are the order within a currency, from the best down.
 */
export const candidate = sqliteTable(
  "candidate",
  {
    runId: integer("run_id")
      .notNull()
      .references(() => run.id),
    pageId: integer("page_id")
      .notNull()
      .references(() => page.id),
    siteId: integer("site_id")
      .notNull()
      .references(() => site.id),
    listingId: integer("listing_id").references(() => listing.id),
    /** NULL for what costs nothing, where that comes first. */
    currency: text("currency"),
    /** The place in the order of the run: what is smaller is bought earlier. */
    rank: real("rank").notNull(),
    /** What the purchase would set aside. */
    costMicros: integer("cost_micros").notNull(),
    /** Minus the date of the last modification, so that newer pages come first; for an unknown date, a number greater than any. */
    age: integer("age").notNull(),
    url: text("url").notNull(),
    /** What the page is worth; NULL when nothing says it. */
    value: real("value"),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.pageId] }),
    index("candidate_in_order").on(t.runId, t.currency, t.rank, t.costMicros, t.age, t.url),
    check("candidate_cost", isNotNegative(t.costMicros)),
    check("candidate_currency", sql`${t.currency} is not null or ${t.costMicros} = 0`),
    check("candidate_value", isNotNegative(t.value)),
  ],
);
