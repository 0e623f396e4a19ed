import { check, integer, sql, sqliteTable } from "../engine/drizzle.ts";

/** The one flusher's lease: a single row, made by the migration. */
export const flusher = sqliteTable(
  "flusher",
  {
    id: integer("id").primaryKey(),
    fence: integer("fence").notNull(),
    /** NULL when free. */
    expiresAt: integer("expires_at"),
  },
  (t) => [check("flusher_single", sql`${t.id} = 1`)],
);
