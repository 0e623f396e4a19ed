import { integer, sqliteTable, text } from "../engine/drizzle.ts";

/** A schedule of the configuration as the last service knew it: from when on its slots are owed. Its slots stay when it is removed. */
export const schedule = sqliteTable("schedule", {
  /** `site:<host>` or the name of a task of the service. */
  name: text("name").primaryKey(),
  /** The cron expression with its time zone, or the interval. Another one begins anew: its earlier times were never owed. */
  timing: text("timing").notNull(),
  /** Slots up to this instant are not owed, epoch ms. */
  since: integer("since").notNull(),
});
