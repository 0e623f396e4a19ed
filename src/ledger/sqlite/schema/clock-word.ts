import { check, integer, sql, sqliteTable } from "../engine/drizzle.ts";

/**
 * A person's word that the clock was right (`--trust-clock`). What was written before it may be of a clock that was wrong, so instants are
 * compared with the rows after the newest word alone. Only ever added to.
 */
export const clockWord = sqliteTable(
  "clock_word",
  {
    id: integer("id").primaryKey(),
    /** What the clock said. */
    at: integer("at").notNull(),
    /** The instant of the newest rows before the word. NULL: there were none. */
    latestAt: integer("latest_at"),
    /** What the gateway's `Date` said. NULL: it was not known. */
    gatewayAt: integer("gateway_at"),
    /** Rows up to these numbers are older than the word. */
    runsBefore: integer("runs_before").notNull(),
    purchasesBefore: integer("purchases_before").notNull(),
    bookingsBefore: integer("bookings_before").notNull(),
  },
  (t) => [
    check("clock_word_numbers", sql`${t.runsBefore} >= 0 and ${t.purchasesBefore} >= 0 and ${t.bookingsBefore} >= 0`),
  ],
);
