import { check, index, integer, primaryKey, real, sqliteTable, text } from "../engine/drizzle.ts";
import { isNotNegative } from "./checks.ts";
import { listing } from "./listing.ts";
import { page } from "./page.ts";
import { run } from "./run.ts";
import { site } from "./site.ts";

/**
 * A page that a run has quoted and not decided yet, because its order (`run.order`) needs the quotes of all pages first. Working state,
 * dropped when the run ends or is resumed.
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
    /** What the purchase would set aside; NULL for indexing. */
    costMicros: integer("cost_micros"),
    currency: text("currency"),
    /** Greater is bought earlier. */
    score: real("score").notNull(),
    /** The place in the order of the catalog or the list. */
    position: integer("position").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.pageId] }),
    index("candidate_by_score").on(t.runId, t.score),
    check("candidate_cost", isNotNegative(t.costMicros)),
  ],
);
