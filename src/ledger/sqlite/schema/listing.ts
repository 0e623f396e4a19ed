import { blob, integer, sqliteTable, text } from "../engine/drizzle.ts";

/** What the gateway listed for a page when it was decided (a RateListing). Equal listings are kept once: most sites have few. */
export const listing = sqliteTable("listing", {
  id: integer("id").primaryKey(),
  /** The first half of the json's sha256. */
  hash: blob("hash").notNull().unique(),
  json: text("json").notNull(),
});
