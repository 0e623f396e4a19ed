/** Damage to the bookings that statements count, and to what reports brought, by hand. */
import type { NamedDamage } from "./named-damage.ts";

const purchase = (path: string) =>
  `(SELECT max(id) FROM purchase WHERE page_id = (SELECT id FROM page WHERE url LIKE '%${path}'))`;

export const BOOKING_DAMAGE: readonly NamedDamage[] = [
  [
    "a booking that is gone",
    `DELETE FROM booking WHERE purchase_id = ${purchase("/a")}`,
    4,
    /^purchase \d+ is settled and has 0 bookings charged$/,
  ],
  [
    "a doubt that no statement shows",
    `DELETE FROM booking WHERE kind = 'doubt_opened' AND purchase_id = ${purchase("/d/charged")}`,
    4,
    /^purchase \d+ is settled and has 0 bookings doubt_opened$/,
  ],
  [
    "a report that is booked for another one",
    `UPDATE booking SET usage_batch_id = 99 WHERE usage_batch_id = (SELECT id FROM usage_batch WHERE idempotency_id = 'reported')`,
    4,
    /^report reported is settled and is booked 0 times$/,
  ],
  [
    "a receipt with an error that nobody heard of",
    "DELETE FROM open_item WHERE kind = 'receipt_error'",
    5,
    /^1 receipts have an error \(report odd, \S+ and so on\), 0 are listed$/,
  ],
  [
    "a charge that was moved into another month",
    `UPDATE booking SET at = at + 10 * 86400000 WHERE purchase_id = ${purchase("/a")}`,
    4,
    /^booking \d+ is of another instant than what it books$/,
  ],
  [
    "statements that do not add up",
    `UPDATE booking SET kind = 'doubt_opened' WHERE kind = 'charged' AND purchase_id = ${purchase("/a")}`,
    4,
    /^the statements of all months say settledMicros \d+ in USD, the rows add up to \d+$/,
  ],
];
