import { check, integer, sql, sqliteTable, uniqueIndex } from "../engine/drizzle.ts";

/** A month whose statement was called complete: no booking is made in it any more (docs/decisions/0083). Rows are added, and reopened once. */
export const closedMonth = sqliteTable(
  "closed_month",
  {
    id: integer("id").primaryKey(),
    startsAt: integer("starts_at").notNull(),
    endsAt: integer("ends_at").notNull(),
    /** Bookings up to this number were made before. */
    bookingsBefore: integer("bookings_before").notNull(),
    /** Bookings up to this number were made before a person said that the month had not ended. NULL: the month is closed. */
    reopenedAfter: integer("reopened_after"),
  },
  (t) => [
    check("closed_month_order", sql`${t.startsAt} < ${t.endsAt} and ${t.bookingsBefore} >= 0`),
    check("closed_month_reopened", sql`${t.reopenedAfter} is null or ${t.reopenedAfter} >= ${t.bookingsBefore}`),
    uniqueIndex("closed_month_once").on(t.endsAt).where(sql`reopened_after is null`),
  ],
);
