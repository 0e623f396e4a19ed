import { index, integer, sqliteTable, text } from "../engine/drizzle.ts";
import { usageBatch } from "./usage-batch.ts";
import { usageEntry } from "./usage-entry.ts";

/** What the gateway said of an entry. Only ever added to. */
export const receipt = sqliteTable(
  "receipt",
  {
    id: integer("id").primaryKey(),
    batchId: integer("batch_id")
      .notNull()
      .references(() => usageBatch.id),
    /** NULL for one too many. */
    entryId: integer("entry_id").references(() => usageEntry.id),
    url: text("url").notNull(),
    licenseType: text("license_type").notNull(),
    licenseCuid: text("license_cuid"),
    perUnitMicros: integer("per_unit_micros").notNull(),
    totalMicros: integer("total_micros").notNull(),
    currency: text("currency").notNull(),
    /** What the gateway says went wrong with the use. NULL: nothing. */
    error: text("error"),
    at: integer("at").notNull(),
  },
  (t) => [index("receipt_by_batch").on(t.batchId), index("receipt_by_entry").on(t.entryId)],
);
