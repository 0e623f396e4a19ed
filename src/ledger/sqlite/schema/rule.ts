import { integer, sqliteTable, text } from "../engine/drizzle.ts";

/** A policy's rule in words, as a purchase was allowed by it. Never changed: a rule that is edited gets another row. */
export const rule = sqliteTable("rule", {
  id: integer("id").primaryKey(),
  text: text("text").notNull().unique(),
});
