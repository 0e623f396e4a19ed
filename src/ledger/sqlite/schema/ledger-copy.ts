import { check, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";

/** Only in a backup, and in a ledger that was restored from one: it may not buy or report until a person accepts it. */
export const ledgerCopy = sqliteTable(
  "ledger_copy",
  {
    id: integer("id").primaryKey(),
    /** When the copy was made, and by which process. */
    madeAt: integer("made_at").notNull(),
    madeBy: text("made_by").notNull(),
    /** When a person said that no later ledger was in use. */
    acceptedAt: integer("accepted_at"),
  },
  (t) => [check("ledger_copy_single", sql`${t.id} = 1`)],
);
