import { check, integer, primaryKey, sqliteTable, text } from "../engine/drizzle.ts";
import { isNotNegative, isOneOf } from "./checks.ts";
import { site } from "./site.ts";

/** What can come of a page that a run saw. `denied` and `released` are counted by reason, the others under the reason ''. */
export const TOTAL_KINDS = ["seen", "unchanged", "excluded", "denied", "settled", "released", "in_doubt"] as const;

/**
 * How often each outcome came about on a site, over all runs: written with `tally` (money/counters.ts). A total only grows, also when a purchase in doubt
 * is resolved or an old run is pruned: a program that samples it can take the difference of two samples for what happened between.
 */
export const siteTotal = sqliteTable(
  "site_total",
  {
    siteId: integer("site_id")
      .notNull()
      .references(() => site.id),
    kind: text("kind", { enum: TOTAL_KINDS }).notNull(),
    reason: text("reason").notNull(),
    count: integer("count").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.siteId, t.kind, t.reason] }),
    check("site_total_kind", isOneOf(t.kind, TOTAL_KINDS)),
    check("site_total_count", isNotNegative(t.count)),
  ],
);
