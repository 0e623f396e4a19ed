import { integer, sqliteTable, text } from "../engine/drizzle.ts";

/** A host that was ever crawled, and how far its last complete walk saw. */
export const site = sqliteTable("site", {
  id: integer("id").primaryKey(),
  host: text("host").notNull().unique(),
  /** The newest `lastMod` of the last walk that left nothing over. */
  highWaterAt: integer("high_water_at"),
  lastFullWalkAt: integer("last_full_walk_at"),
});
