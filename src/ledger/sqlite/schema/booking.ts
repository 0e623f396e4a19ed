import { BOOKING_KINDS, DOUBT_BOOKINGS } from "../../../statement/booking.ts";
import { check, index, integer, sql, sqliteTable, text, uniqueIndex } from "../engine/drizzle.ts";
import { isOneOf } from "./checks.ts";
import { purchase } from "./purchase.ts";
import { usageBatch } from "./usage-batch.ts";

const IS_OF_DOUBT = `kind in (${DOUBT_BOOKINGS.map((kind) => `'${kind}'`).join(", ")})`;

/**
 * When money moved, as statements count it (statement/booking.ts). Written by the functions that move a
 * purchase or a report (account/), in the transaction that moves the money. Only ever added to. The amounts are those of the purchase or of the report's uses, which do not change any
 * more.
 */
export const booking = sqliteTable(
  "booking",
  {
    seq: integer("seq").primaryKey(),
    /**
     * The instant of the fact, but never before the booking made last: a month that has ended gets no further booking when one process is slow
     * or its clock is behind. A clock that was wrong by more than a month does not count.
     */
    at: integer("at").notNull(),
    kind: text("kind", { enum: BOOKING_KINDS }).notNull(),
    purchaseId: integer("purchase_id").references(() => purchase.id),
    usageBatchId: integer("usage_batch_id").references(() => usageBatch.id),
  },
  (t) => [
    check("booking_kind", isOneOf(t.kind, BOOKING_KINDS)),
    check(
      "booking_subject",
      sql`(${t.usageBatchId} is not null) = (${t.kind} = 'report_taken') and (${t.purchaseId} is null) = (${t.kind} = 'report_taken')`,
    ),
    index("booking_by_time").on(t.at),
    uniqueIndex("booking_of_doubt").on(t.purchaseId, t.kind).where(sql.raw(IS_OF_DOUBT)),
  ],
);
