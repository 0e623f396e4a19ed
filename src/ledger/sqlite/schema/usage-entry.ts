import { check, integer, sql, sqliteTable, text, uniqueIndex } from "../engine/drizzle.ts";
import { page } from "./page.ts";
import { usageBatch } from "./usage-batch.ts";

/** One aggregated line of a frozen report. */
export const usageEntry = sqliteTable(
  "usage_entry",
  {
    id: integer("id").primaryKey(),
    batchId: integer("batch_id")
      .notNull()
      .references(() => usageBatch.id),
    position: integer("position").notNull(),
    pageId: integer("page_id")
      .notNull()
      .references(() => page.id),
    /** As it stands in the body. */
    wireUrl: text("wire_url").notNull(),
    licenseType: text("license_type").notNull(),
    licenseCuid: text("license_cuid"),
    times: integer("times").notNull(),
    unitMicros: integer("unit_micros").notNull(),
    currency: text("currency").notNull(),
  },
  (t) => [
    check("usage_entry_counts", sql`${t.times} >= 1 and ${t.unitMicros} >= 0 and ${t.position} >= 0`),
    uniqueIndex("usage_entry_position").on(t.batchId, t.position),
  ],
);
