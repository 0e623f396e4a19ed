import { foreignKey, index, integer, sqliteTable, text } from "../engine/drizzle.ts";
import { runSite } from "./run-site.ts";

/** Examples of catalog entries that cannot be pages of their site: a few per run, site and reason. */
export const rejectedEntry = sqliteTable(
  "rejected_entry",
  {
    id: integer("id").primaryKey(),
    runId: integer("run_id").notNull(),
    siteId: integer("site_id").notNull(),
    reason: text("reason").notNull(),
    /** As the gateway sent it, cut to a bounded length. */
    raw: text("raw").notNull(),
  },
  (t) => [
    foreignKey({ columns: [t.runId, t.siteId], foreignColumns: [runSite.runId, runSite.siteId] }),
    index("rejected_entry_examples").on(t.runId, t.siteId, t.reason),
  ],
);
