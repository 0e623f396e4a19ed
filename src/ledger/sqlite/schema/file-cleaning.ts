import { check, integer, sql, sqliteTable } from "../engine/drizzle.ts";

/**
 * A single row, while texts that `licet purge` removed may still be readable in unused room of the file. Written with the first removal,
 * gone after the file was cleaned: a purge that was killed is finished by the next one.
 */
export const fileCleaning = sqliteTable(
  "file_cleaning",
  {
    id: integer("id").primaryKey(),
    dueSince: integer("due_since").notNull(),
  },
  (t) => [check("file_cleaning_single", sql`${t.id} = 1`)],
);
