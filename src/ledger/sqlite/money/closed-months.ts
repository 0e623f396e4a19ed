/** Months whose statements were called complete (docs/decisions/0083). `bookAt` (statement/booking.ts) keeps bookings out of them. */
import type { Asked, Tx } from "../operation.ts";

/** Reads: closed_month by its month, the end of booking. Writes: closed_month. A second call changes nothing (the month is closed). */
export function closeMonth(tx: Tx, { from, to }: Asked<"closeMonth">): boolean {
  const { changes } = tx.run`INSERT INTO closed_month (starts_at, ends_at, bookings_before)
    VALUES (${from}, ${to}, (SELECT coalesce(max(seq), 0) FROM booking)) ON CONFLICT DO NOTHING`;
  tx.bookings.discard();
  return changes === 1;
}

/** Writes: closed_month. A month that had not ended at this instant goes on. A second call changes nothing. */
export function reopenMonths(tx: Tx, now: number): void {
  tx.run`UPDATE closed_month SET reopened_after = (SELECT coalesce(max(seq), 0) FROM booking)
     WHERE ends_at > ${now} AND reopened_after IS NULL`;
}
